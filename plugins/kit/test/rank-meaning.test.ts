import { createStaticEmbedder } from "@membus/embeddings";
import { describe, expect, it } from "vitest";
import { createEnglishAnalyzer, Partition, rank } from "../src/index.js";
import { MEANING_PAIRS, OFF_TOPIC_QUERIES } from "./meaning-pairs.js";
import { testRow } from "./test-row.js";

const analyzer = createEnglishAnalyzer();
const embedder = createStaticEmbedder();

async function partitionOf(texts: readonly string[]): Promise<Partition> {
  const partition = new Partition({ embedder, termsOf: () => new Uint32Array(0) });
  const vectors = await embedder.embed(texts, "document");
  for (const [at, text] of texts.entries()) {
    const terms = analyzer.analyze({ text, context: "", occurredAt: undefined });
    partition.add({
      ...testRow({ name: `k${at}`, rowId: at + 1 }),
      terms,
      vector: vectors[at]!,
      embedder: embedder.id,
    });
  }
  return partition;
}

/** By words alone, and by words and meaning. */
async function scoresOf(partition: Partition, query: string): Promise<{ words: number[]; both: number[] }> {
  const terms = analyzer.analyzeQuery(query);
  const corpus = partition.corpus(terms.map(({ hash }) => hash));
  const [vector] = await embedder.embed([query], "query");
  return { words: [...rank(corpus, { terms })], both: [...rank(corpus, { terms, vector: vector! })] };
}

describe("relevance without a common word, by the default embedder", () => {
  it("tells at 0.3 what a query means", async () => {
    const partition = await partitionOf(["Earth orbits the Sun", "The invoice is due on Friday"]);
    const { both } = await scoresOf(partition, "solar system");
    expect(both[0]).toBeGreaterThan(0.4);
    expect(both[1]).toBeLessThan(0.1);
  });

  it("puts the answer first for at least 32 of forty queries", async () => {
    const partition = await partitionOf(MEANING_PAIRS.map(([, entry]) => entry));
    let first = 0;
    const own: number[] = [];
    const others: number[] = [];
    for (const [at, [query]] of MEANING_PAIRS.entries()) {
      const { words, both } = await scoresOf(partition, query);
      expect(Math.max(...words), query).toBe(0);
      if (both[at] === Math.max(...both)) first++;
      own.push(both[at]!);
      others.push(...both.filter((_, other) => other !== at));
    }
    expect(MEANING_PAIRS.length).toBe(40);
    expect(first).toBeGreaterThanOrEqual(32);
    expect(own.filter((score) => score >= 0.3).length).toBeGreaterThanOrEqual(32);
    expect(others.filter((score) => score >= 0.3).length).toBeLessThanOrEqual(8);
    expect(Math.max(...others)).toBeLessThan(0.4);
  });

  it("stays below 0.3 for queries off the topic", async () => {
    const partition = await partitionOf(MEANING_PAIRS.map(([, entry]) => entry));
    const scores: number[] = [];
    for (const query of OFF_TOPIC_QUERIES) {
      const { words, both } = await scoresOf(partition, query);
      expect(Math.max(...words), query).toBe(0);
      scores.push(...both);
    }
    expect(OFF_TOPIC_QUERIES.length).toBeGreaterThanOrEqual(20);
    expect(scores.filter((score) => score >= 0.3).length / scores.length).toBeLessThanOrEqual(0.003);
    expect(Math.max(...scores)).toBeLessThan(0.4);
  });
});
