import type { MemoryEntry } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { entryLines, rankingLines, summaryLines } from "../src/terminal/entry-text.js";

const ENTRY = {
  key: { name: "turn" },
  content: "the heron is back",
  tier: "episodic",
  score: 0.36,
} as unknown as MemoryEntry;

const EXPLAIN = {
  terms: [{ term: "heron", weight: 0.6, score: 0.31, fields: ["text" as const, "context" as const] }],
  lexical: 0.31,
  similarity: 0.42,
  group: 0,
  relevance: 0.8,
  importance: 0.5,
  recency: 0.9,
};

describe("entries as lines", () => {
  it("are one line each by default", () => {
    expect(entryLines(ENTRY)).toEqual(['0.36  episodic  {"name":"turn"}  the heron is back']);
    const long = entryLines({ ...ENTRY, content: "x".repeat(300) });
    expect(long[0]!.endsWith(`${"x".repeat(200)}…`)).toBe(true);
  });

  it("are shown between their neighbours", () => {
    const neighbour = (content: string) => ({ ...ENTRY, content }) as never;
    const neighbours = { before: [neighbour("first")], after: [neighbour("last")] };
    expect(entryLines({ ...ENTRY, neighbours })).toEqual([
      '   ~  episodic  {"name":"turn"}  first',
      '0.36  episodic  {"name":"turn"}  the heron is back',
      '   ~  episodic  {"name":"turn"}  last',
    ]);
  });

  it("include the best passage and its place", () => {
    const snippet = { text: "the heron\n\nis back", start: 5_210 };
    const explain = { ...EXPLAIN, terms: [], passage: { start: 5_210, end: 5_228 } };
    expect(entryLines({ ...ENTRY, snippet, explain }).slice(1)).toEqual([
      "      from character 5210:",
      "      the heron",
      "",
      "      is back",
      "      0.360 = relevance 0.800 x importance 0.500 x recency 0.900",
      "      text 0.310, cosine 0.420, group 0.000, passage 5210..5228",
    ]);
  });

  it("include a score explanation", () => {
    expect(entryLines({ ...ENTRY, explain: EXPLAIN }).slice(1)).toEqual([
      "      0.360 = relevance 0.800 x importance 0.500 x recency 0.900",
      "      text 0.310, cosine 0.420, group 0.000",
      "        heron: 0.310 of 0.600, in text and context",
    ]);
  });

  it("include the reranker score, and the case without vectors", () => {
    const explain = { ...EXPLAIN, terms: [], similarity: null, rerank: 0.4 };
    expect(entryLines({ ...ENTRY, score: 0.18, explain }).slice(1)).toEqual([
      "      0.180 = rerank 0.400 x importance 0.500 x recency 0.900",
      "      text 0.310, cosine none, group 0.000, relevance 0.800",
    ]);
  });
});

describe("a ranking as lines", () => {
  it("shows the details of each tier, and the time of each stage", () => {
    const tier = { tier: "semantic", analyzer: "english-1", candidates: 12 } as const;
    const explain = [
      { ...tier, embedder: "e/1", generation: "e/0", terms: ["solar", "system"] },
      { ...tier, embedder: null, generation: null, terms: [] },
    ];
    const page = {
      entries: [],
      total: 0,
      total_relation: "eq" as const,
      took_ms: { total: 1.94, "semantic.search": 1 },
    };
    expect(rankingLines({ ...page, explain })).toEqual([
      "semantic: 12 candidates, terms solar system, analyzer english-1, embedder e/1, vectors of generation e/0",
      "semantic: 12 candidates, no terms, analyzer english-1, no vectors",
      "time in ms: total 1.9, semantic.search 1.0",
    ]);
    expect(rankingLines(page)).toEqual([]);
  });
});

describe("the summary of a page", () => {
  const page = { entries: [ENTRY], total: 20, total_relation: "eq" as const, took_ms: { total: 1 } };

  it("is the number of entries", () => {
    expect(summaryLines(page)).toEqual(["1 of 20"]);
  });

  it("says that there may be more entries, and why some may be missing", () => {
    const degraded = [{ tier: "episodic" as const, code: "unavailable" as const, message: "down" }];
    const approximate = ["semantic" as const];
    expect(summaryLines({ ...page, total_relation: "gte", cursor: "c", approximate, degraded })).toEqual([
      "1 of at least 20",
      "next page: --cursor c",
      "approximate: semantic: an index chose the entries, --exact compares all",
      "incomplete: episodic: down",
    ]);
  });
});
