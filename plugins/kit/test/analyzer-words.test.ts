import { describe, expect, it } from "vitest";
import { memoizeWords } from "../src/search/analyzer/memo.js";
import { fold, splitWords, wordForms } from "../src/search/analyzer/words.js";

describe("splitWords", () => {
  it.each([
    ["", []],
    ["  ... !?", []],
    ["Green tea, please.", ["Green", "tea", "please"]],
    ["don't re-do it's", ["don", "t", "re", "do", "it", "s"]],
    ["user_name 2023-05-08 v1.2", ["user_name", "2023", "05", "08", "v1.2"]],
    ["2.15.2, 127.0.0.1:4222. a1.5b", ["2.15.2", "127.0.0.1", "4222", "a1", "5b"]],
    ["src/host/router.ts", ["src", "host", "router", "ts"]],
    ["a-b@mail.example.com", ["a", "b", "mail", "example", "com"]],
  ])("splits %j", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it("unifies compatibility characters and composes accents", () => {
    expect(splitWords("Café cafe\u0301 naïve Ｆｕｌｌ ﬁne soft\u00adly")).toEqual([
      "Café",
      "café",
      "naïve",
      "Full",
      "fine",
      "softly",
    ]);
  });

  it("keeps words of other scripts whole, with their marks", () => {
    expect(splitWords("हिन्दी чай, שלום ΚΑΛΗΜΕΡΑ")).toEqual(["हिन्दी", "чай", "שלום", "ΚΑΛΗΜΕΡΑ"]);
  });

  it("treats an emoji as a word, without its colour, and splits joined emojis", () => {
    expect(splitWords("tea☕time 👍🏽 ❤️ 1️⃣ 👩‍🚀 🇫🇷🇩🇪")).toEqual([
      ...["tea", "☕", "time", "👍", "❤", "1", "👩", "🚀", "🇫🇷", "🇩🇪"],
    ]);
  });

  it("treats symbols and lone surrogates as gaps", () => {
    expect(splitWords("x \ud800x\udc00y a−b")).toEqual(["x", "x", "y", "a", "b"]);
  });

  it("splits scripts without spaces run by run", () => {
    expect(splitWords("猫 東京タワーへ")).toEqual(["猫", "東", "京", "東京", "タワ", "ワー", "へ"]);
    expect(splitWords("第3回 ｺﾝ abc漢字")).toEqual(["第", "3", "回", "コン", "abc", "漢", "字", "漢字"]);
    expect(splitWords("고객과의 표")).toEqual(["고", "고객", "객과", "과의", "표"]);
    expect(splitWords("ตั๋วสอง")).toEqual(["ตั๋ว", "วส", "สอ", "อง"]);
  });
});

describe("fold", () => {
  it.each([
    ["café", "cafe"],
    ["straße", "strasse"],
    ["smørrebrød", "smorrebrod"],
    ["ılık", "ilik"],
    ["чай", "чай"],
    ["ёлка", "елка"],
    ["за\u0301мок", "замок"],
    ["її", "її"],
    ["γάτα", "γατα"],
    ["مُدَرِّسٌ", "مدرس"],
    ["أحمد", "احمد"],
    ["हिन्दी", "हिन्दी"],
    ["が", "が"],
    ["한", "한"],
  ])("of %s is %s", (word, folded) => {
    expect(fold(word)).toBe(folded);
  });
});

describe("wordForms", () => {
  it.each([
    ["Tea", ["tea"]],
    ["LGBTQ", ["lgbtq"]],
    ["PDFs", ["pdfs"]],
    ["user_name", ["username", "user", "name"]],
    ["ERR_NOT_FOUND", ["errnotfound", "err", "not", "found"]],
    ["E1234", ["e1234", "e", "1234"]],
    ["v2.15.2", ["2.15.2", "v2", "15", "2", "2"]],
    ["2.15", ["2.15", "2", "15"]],
    ["İstanbul", ["istanbul"]],
    ["userName", ["username", "user", "name"]],
    ["HTTPServer", ["httpserver", "http", "server"]],
    ["getUserById", ["getuserbyid", "get", "user", "by", "id"]],
    ["log4Shell", ["log4shell", "log4", "shell"]],
    ["1f40fc92da241694750979ee6cf582f2", ["1f40fc92da241694750979ee6cf582f2"]],
    ["0xACC28DB2BEB7B42BAA1CB024", ["acc28db2beb7b42baa1cb024"]],
    ["sha_1f40fc92da241694", ["sha1f40fc92da241694", "sha", "1f40fc92da241694"]],
    ["1f40fc92da24169", ["1f40fc92da24169", "1f40fc92da", "24169"]],
    ["__init__", ["init"]],
    ["___", []],
  ])("of %s", (word, forms) => {
    expect(wordForms(word)).toEqual(forms);
  });
});

describe("memoizeWords", () => {
  const counting = (countMax: number) => {
    const asked: string[] = [];
    const lengthOf = memoizeWords((word) => {
      asked.push(word);
      return word.length;
    }, countMax);
    return { asked, lengthOf };
  };

  it("computes a word once", () => {
    const { asked, lengthOf } = counting(10);
    expect([lengthOf("tea"), lengthOf("tea")]).toEqual([3, 3]);
    expect(asked).toEqual(["tea"]);
  });

  it("clears the cache when it is full", () => {
    const { asked, lengthOf } = counting(2);
    for (const word of ["a", "b", "c", "c", "a"]) lengthOf(word);
    expect(asked).toEqual(["a", "b", "c", "a"]);
  });

  it("does not cache words longer than 12 characters", () => {
    const { asked, lengthOf } = counting(10);
    for (const word of ["abcdefghijkl", "abcdefghijkl", "abcdefghijklm", "abcdefghijklm"]) lengthOf(word);
    expect(asked).toEqual(["abcdefghijkl", "abcdefghijklm", "abcdefghijklm"]);
  });
});
