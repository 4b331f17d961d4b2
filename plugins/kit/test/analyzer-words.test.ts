import { describe, expect, it } from "vitest";
import { memoize } from "../src/analyzer/memo.js";
import { splitWords, wordForms } from "../src/analyzer/words.js";

describe("splitWords", () => {
  it.each([
    ["", []],
    ["  ... !?", []],
    ["Green tea, please.", ["Green", "tea", "please"]],
    ["don't re-do it's", ["don", "t", "re", "do", "it", "s"]],
    ["user_name 2023-05-08 v1.2", ["user_name", "2023", "05", "08", "v1", "2"]],
  ])("splits %j", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it("folds accents, composed or not, and compatibility characters", () => {
    expect(splitWords("Café cafe\u0301 naïve Ｆｕｌｌ ﬁne İstanbul")).toEqual([
      "Cafe",
      "cafe",
      "naive",
      "Full",
      "fine",
      "Istanbul",
    ]);
  });

  it("keeps words of other scripts whole, with their marks", () => {
    expect(splitWords("हिन्दी 한국어 чай, שלום")).toEqual(["हिन्दी", "한국어", "чаи", "שלום"]);
  });

  it("takes emoji, symbols and lone surrogates for gaps", () => {
    expect(splitWords("tea☕time \ud800x\udc00y a−b")).toEqual(["tea", "time", "x", "y", "a", "b"]);
  });
});

describe("wordForms", () => {
  it.each([
    ["Tea", ["tea"]],
    ["LGBTQ", ["lgbtq"]],
    ["PDFs", ["pdfs"]],
    ["user_name", ["user_name", "user", "name"]],
    ["userName", ["username", "user", "name"]],
    ["HTTPServer", ["httpserver", "http", "server"]],
    ["getUserById", ["getuserbyid", "get", "user", "by", "id"]],
    ["log4Shell", ["log4shell", "log4", "shell"]],
    ["__init__", ["init"]],
    ["___", []],
  ])("of %s", (word, forms) => {
    expect(wordForms(word)).toEqual(forms);
  });
});

describe("memoize", () => {
  const counting = (countMax: number) => {
    const asked: string[] = [];
    const lengthOf = memoize((word) => {
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

  it("starts anew when full", () => {
    const { asked, lengthOf } = counting(2);
    for (const word of ["a", "b", "c", "c", "a"]) lengthOf(word);
    expect(asked).toEqual(["a", "b", "c", "a"]);
  });

  it("does not keep words of more than 12 characters", () => {
    const { asked, lengthOf } = counting(10);
    for (const word of ["abcdefghijkl", "abcdefghijkl", "abcdefghijklm", "abcdefghijklm"]) lengthOf(word);
    expect(asked).toEqual(["abcdefghijkl", "abcdefghijklm", "abcdefghijklm"]);
  });
});
