import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseVocabulary, splitWords, tokenIds } from "../src/static/vocabulary.js";

const lines = readFileSync(new URL("../static-minilm-v1/vocab.txt", import.meta.url), "utf8");
const spellings = lines.split("\n");
const vocabulary = parseVocabulary(lines);
const tokens = (text: string) => tokenIds(text, vocabulary).map((id) => spellings[id]);

describe("splitWords", () => {
  it.each([
    ["Hello, World!", ["hello", ",", "world", "!"]],
    ["don't e-mail a_b", ["don", "'", "t", "e", "-", "mail", "a", "_", "b"]],
    [
      "1+1=2 <b> $5 ~x^y|z`",
      ["1", "+", "1", "=", "2", "<", "b", ">", "$", "5", "~", "x", "^", "y", "|", "z", "`"],
    ],
    ["naïve Ñandú ÉCOLE", ["naive", "nandu", "ecole"]],
    ["İstanbul", ["istanbul"]],
    ["東京tower", ["東", "京", "tower"]],
    ["𠀀x", ["𠀀", "x"]],
    ["カタカナ", ["カタカナ"]],
    ["I ❤️ you 👩‍👩‍👧", ["i", "❤", "you", "👩👩👧"]],
    ["a\u00a0b\u3000c\u2028d\te\r\nf", ["a", "b", "c", "d", "e", "f"]],
    ["zero\u0000width\u200b\ufeff\ufffdsoft\u00ad", ["zerowidthsoft"]],
    ["“quotes” — ¿qué?", ["“", "quotes", "”", "—", "¿", "que", "?"]],
    ["lone \ud800surrogate", ["lone", "surrogate"]],
    ["x[MASK]y [PAD] [mask]", ["x", "y", "[", "mask", "]"]],
    [" \t\n", []],
  ])("%j", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });
});

describe("tokenIds", () => {
  it.each([
    ["unbelievably", ["un", "##bel", "##ie", "##va", "##bly"]],
    ["tokenizers", ["token", "##izer", "##s"]],
    ["한국", ["ᄒ", "##ᅡ", "##ᆫ", "##ᄀ", "##ᅮ", "##ᆨ"]],
    ["##ing", ["#", "#", "ing"]],
    ["good 😀 day", ["good", "day"]],
    // One piece is unknown, so the whole word is unknown.
    ["good😀 day", ["day"]],
  ])("%j", (text, pieces) => {
    expect(tokens(text)).toEqual(pieces);
  });

  it("accepts words of up to 100 code points", () => {
    expect(tokens("x".repeat(100)).join("").replaceAll("##", "")).toBe("x".repeat(100));
    expect(tokens(`${"x".repeat(101)} y`)).toEqual(["y"]);
  });

  it("finds every ordinary token of the vocabulary as a whole", () => {
    const words = spellings.filter((token) => /^[a-z0-9]+$/.test(token));
    expect(words.length).toBe(22_716);
    for (const word of words) expect(tokens(word)).toEqual([word]);
  });
});

it("parseVocabulary reads one token per line", () => {
  const small = parseVocabulary("a\n##bc\n##\n#");
  expect(small.size).toBe(4);
  expect([...small.initial]).toEqual([
    ["a", 0],
    ["##", 2],
    ["#", 3],
  ]);
  expect([...small.continuing]).toEqual([["bc", 1]]);
  expect(small.pieceLengthMax).toBe(2);
});
