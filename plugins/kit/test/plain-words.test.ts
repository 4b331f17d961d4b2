import { describe, expect, it } from "vitest";
import { isPlain, PlainWords, splitWords } from "../src/search/analyzer/words.js";

function wordsOf(words: PlainWords<string>, text: string): string[] {
  const found: string[] = [];
  words.forEach(text, (word) => found.push(word));
  return found;
}

describe("isPlain", () => {
  it.each([
    ["", true],
    ["Earth orbits the sun, e.g. in 2.5e3_x", false],
    ["one. 2 three.four 5. 6", true],
    ["café", false],
  ])("of %j is %s", (text, plain) => {
    expect(isPlain(text)).toBe(plain);
  });
});

describe("PlainWords", () => {
  it.each(["", " ", "a", "a b", " the_sun, 42nd (Earth)!", "x\u0000y\u007fz", "tail "])(
    "finds the words of %j",
    (text) => {
      expect(wordsOf(new PlainWords((word) => word), text)).toEqual(splitWords(text));
    },
  );

  it("distinguishes more words than it caches, of any length", () => {
    const words = new PlainWords((word) => word);
    const word = (number: number) => ((number * 7_919) % 60_000).toString(2 + (number % 35));
    for (let from = 0; from < 120_000; from += 40) {
      const text = Array.from({ length: 40 }, (_, index) => word(from + index)).join(" ");
      expect(wordsOf(words, text)).toEqual(text.split(" "));
    }
  });

  it("analyses a word once", () => {
    let readCount = 0;
    const words = new PlainWords(() => ++readCount);
    for (let round = 0; round < 3; round++) words.forEach("sun and sun or Sun", () => {});
    expect(readCount).toBe(4);
  });
});
