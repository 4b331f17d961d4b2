import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ENGLISH_STEMMING, stemEnglish } from "../src/search/analyzer/english.js";
import { describeEnglishTime } from "../src/search/analyzer/english-time.js";
import { ENGLISH_STOP_WORDS } from "../src/search/analyzer/english-words.js";
import { createEnglishAnalyzer, type PackedTerms } from "../src/search/analyzer/index.js";
import { termHash } from "../src/search/analyzer/packed-terms.js";
import { StemProbabilities, UNKNOWN_WORD_PROBABILITY } from "../src/search/analyzer/word-frequency.js";

const EIGHTH_OF_MAY = 1_683_554_160;
const analyzer = createEnglishAnalyzer();

function analyze(text: string, context = "", occurredAt?: number): PackedTerms {
  return analyzer.analyze({ text, context, occurredAt });
}

const packedOf = (...pairs: [stem: string, counts: number][]) =>
  pairs.flatMap(([stem, counts]) => [termHash(stem), counts]);

describe("English", () => {
  it.each([
    ["adoption", "adopt"],
    ["running", "run"],
    ["bought", "bui"],
    ["buying", "bui"],
    ["children", "child"],
    ["rose", "rose"],
    ["universities", "univers"],
    ["8th", "8"],
    ["23rd", "23"],
    ["th", "th"],
  ])("the stem of %s is %s", (word, stem) => {
    expect(stemEnglish(word)).toBe(stem);
  });

  it("has 151 stop words", () => {
    expect(ENGLISH_STOP_WORDS.size).toBe(151);
    for (const word of ["the", "when", "didn", "t", "ourselves"]) expect(ENGLISH_STOP_WORDS).toContain(word);
    for (const word of ["may", "won", "like", "one"]) expect(ENGLISH_STOP_WORDS).not.toContain(word);
  });

  it.each([
    [EIGHTH_OF_MAY, "Monday 8 May 2023-05-08"],
    [0, "Thursday 1 January 1970-01-01"],
    [1_709_251_199.9, "Thursday 29 February 2024-02-29"],
    [1e300, ""],
    [Number.NaN, ""],
  ])("describes %d as %j", (seconds, words) => {
    expect(describeEnglishTime(seconds)).toBe(words);
  });

  it("gives a stem the probability of its most frequent word by Zipf's law", () => {
    const probabilities = new StemProbabilities(ENGLISH_STEMMING);
    expect(probabilities.of("the")).toBeCloseTo(0.09186, 5);
    expect(probabilities.of("orbit")).toBeCloseTo(0.09186 / 5797, 8);
    expect(probabilities.of("year")).toBe(probabilities.of(stemEnglish("years")));
    expect(probabilities.of("xyzzi")).toBe(UNKNOWN_WORD_PROBABILITY);
    expect(UNKNOWN_WORD_PROBABILITY).toBeCloseTo(0.09186 / 30_000, 10);
  });

  it("finds the stem of every frequent word by the word's first letters", async () => {
    const words = await readFile(new URL("../data/word-ranks.txt", import.meta.url), "utf8");
    const stems = words.trimEnd().split("\n").map(stemEnglish);
    const ranks = new Map(stems.map((stem, index) => [stem, index + 1] as const).reverse());
    const probabilities = new StemProbabilities(ENGLISH_STEMMING);
    const rankOf = (stem: string) => Math.round(probabilities.of("the") / probabilities.of(stem));
    expect(stems.map(rankOf)).toEqual(stems.map((stem) => ranks.get(stem)));
  });
});

describe("analyze", () => {
  it("counts stems by field, in order of first occurrence, without stop words", () => {
    expect([...analyze("Tea and teas are GREEN", "I like green tea")]).toEqual(
      packedOf(["tea", 2 + 256], ["green", 1 + 256], ["like", 256]),
    );
  });

  it("adds the day to the time field: its words, itself twice, its neighbours and its month", () => {
    const time = 1 << 13;
    expect([...analyze("May", "", EIGHTH_OF_MAY)]).toEqual([
      ...packedOf(
        ["mai", 1 + time],
        ["mondai", time],
        ["8", time],
        ["2023", time],
        ["05", time],
        ["08", time],
      ),
      ...packedOf(
        ["@2023-05-08", 2 * time],
        ["@2023-05-07", time],
        ["@2023-05-09", time],
        ["@2023-05", time],
      ),
    ]);
  });

  it("indexes identifiers whole and in parts", () => {
    expect([...analyze("user_name", "userName")]).toEqual(
      packedOf(["usernam", 1 + 256], ["user", 1 + 256], ["name", 1 + 256]),
    );
  });

  it("returns no terms for empty input", () => {
    expect(analyze("", "")).toEqual(new Uint32Array());
    expect(analyze("it is what it is ...", "the")).toEqual(new Uint32Array());
  });

  it("returns the same result for a cached word", () => {
    const text = "Internationalisation of teapots";
    expect(analyze(text)).toEqual(
      createEnglishAnalyzer().analyze({ text, context: "", occurredAt: undefined }),
    );
    expect(analyze(text)).toEqual(analyze(text));
  });

  it("analyses the first 65,536 characters of a field and 64 of a word", () => {
    const padding = " ".repeat(65_533);
    expect([...analyze(`${padding}tea green`)]).toEqual(packedOf(["tea", 1]));
    const long = "x".repeat(64);
    expect([...analyze(`${long}yz ${long}`)]).toEqual(packedOf([long, 2]));
  });
});

describe("analyzeQuery", () => {
  it("returns distinct terms in order, with the word as written and its probability", () => {
    const terms = analyzer.analyzeQuery("Which Teas did the tea shop sell?");
    expect(terms.map(({ word, hash }) => [word, hash])).toEqual([
      ["teas", termHash("tea")],
      ["shop", termHash("shop")],
      ["sell", termHash("sell")],
    ]);
    expect(terms[0]!.prior).toBeCloseTo(0.09186 / 3096, 8);
  });

  it("gives an unknown word the lowest probability", () => {
    expect(analyzer.analyzeQuery("xyzzy")[0]!.prior).toBe(UNKNOWN_WORD_PROBABILITY);
  });

  it("is empty for stop words only", () => {
    expect(analyzer.analyzeQuery("who are you?")).toEqual([]);
  });

  it("uses the first 64 terms", () => {
    const numbers = Array.from({ length: 100 }, (_, index) => `${index}`);
    const words = analyzer.analyzeQuery(`0 ${numbers.join(" ")}`).map(({ word }) => word);
    expect(words).toEqual(numbers.slice(0, 64));
  });

  it("matches the terms of analyze in any word form", () => {
    const stored = analyze("Caroline adopted two naïve kittens", "", EIGHTH_OF_MAY);
    for (const query of ["CAROLINE", "adoption", "naive", "Kitten", "8th", "may", "Mondays", "2023-05-08"]) {
      for (const { hash } of analyzer.analyzeQuery(query)) expect(stored).toContain(hash);
    }
  });
});
