import { expect, it } from "vitest";
import { scoreParts } from "../src/views/memories/score-parts.js";

const PLAIN = {
  terms: [],
  lexical: 0.6,
  similarity: 0.2,
  group: 0,
  relevance: 0.8,
  importance: 1,
  recency: 1,
};
const sizes = (explanation: Parameters<typeof scoreParts>[0]) =>
  scoreParts(explanation).map(({ name, size, isLost }) => [name, Number(size.toFixed(3)), isLost]);

it("words and meaning share a score that nothing lowers", () => {
  expect(sizes(PLAIN)).toEqual([
    ["words", 0.6, false],
    ["meaning", 0.2, false],
  ]);
});

it("importance and age are lost parts, and all parts add up to the relevance", () => {
  expect(sizes({ ...PLAIN, importance: 0.75, recency: 0.5 })).toEqual([
    ["words", 0.225, false],
    ["meaning", 0.075, false],
    ["importance", 0.2, true],
    ["age", 0.3, true],
  ]);
});

it("a reranker replaces words and meaning", () => {
  expect(sizes({ ...PLAIN, rerank: 0.9, importance: 0.5 })).toEqual([
    ["reranker", 0.45, false],
    ["importance", 0.45, true],
  ]);
});

it("an entry without evidence has no parts that raise its score", () => {
  expect(sizes({ ...PLAIN, lexical: 0, similarity: null, relevance: 0 })).toEqual([]);
});

it("the parts are explained in plain words", () => {
  expect(scoreParts({ ...PLAIN, recency: 0.9 }).map(({ text }) => text)).toEqual([
    "The words of the query fit 60%",
    "The meaning is 20% similar",
    "The age of the entry takes 10%",
  ]);
});
