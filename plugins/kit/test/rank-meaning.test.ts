import { createStaticEmbedder, withUnrelatedCosine } from "@membus/embeddings";
import { systemClock } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { createEnglishAnalyzer } from "../src/index.js";
import type { Partition } from "../src/search/partition/partition.js";
import { cosineScale } from "../src/search/rank/index.js";
import { MEANING_PAIRS, OFF_TOPIC_QUERIES } from "./meaning-pairs.js";
import { partitionOf } from "./meaning-partition.js";
import { rank } from "./rank.js";

const analyzer = createEnglishAnalyzer();

/**
 * An embedder with the same meanings and vectors that point in similar directions, as in many models:
 * unrelated ones have cosines up to 0.75.
 */
function inACone(embedder: Embedder): Embedder {
  const shared = Math.sqrt(2.5);
  const length = Math.hypot(1, shared);
  return {
    id: `cone/${embedder.id}`,
    dimensions: embedder.dimensions + 1,
    async embed(texts, kind) {
      const vectors = await embedder.embed(texts, kind);
      return vectors.map((vector) => vector && Float32Array.of(...vector, shared).map((x) => x / length));
    },
  };
}

/** Scores by words only, and by words and meaning. */
async function scoresOf(
  embedder: Embedder,
  partition: Partition,
  query: string,
): Promise<{ words: number[]; both: number[] }> {
  const terms = analyzer.analyzeQuery(query);
  const corpus = partition.corpus(terms.map(({ hash }) => hash));
  const [vector] = await embedder.embed([query], "query");
  const scale = cosineScale(await embedder.unrelatedCosine?.());
  return { words: [...rank(corpus, { terms })], both: [...rank(corpus, { terms, vector: vector!, scale })] };
}

const standard = createStaticEmbedder();
const EMBEDDERS = [
  { name: "the default embedder", embedder: standard },
  {
    name: "an embedder with other cosines",
    embedder: withUnrelatedCosine(inACone(standard), { clock: systemClock }),
  },
];

describe.each(EMBEDDERS)("relevance without a common word, with $name", ({ embedder }) => {
  it("reaches 0.3 for the meaning of a query", async () => {
    const partition = await partitionOf({ embedder, analyzer }, [
      "Earth orbits the Sun",
      "The invoice is due on Friday",
    ]);
    const { both } = await scoresOf(embedder, partition, "solar system");
    expect(both[0]).toBeGreaterThan(0.4);
    expect(both[1]).toBeLessThan(0.1);
  });

  it("ranks the answer first for at least 32 of forty queries", async () => {
    const partition = await partitionOf(
      { embedder, analyzer },
      MEANING_PAIRS.map(([, entry]) => entry),
    );
    let first = 0;
    const own: number[] = [];
    const others: number[] = [];
    for (const [at, [query]] of MEANING_PAIRS.entries()) {
      const { words, both } = await scoresOf(embedder, partition, query);
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

  it("stays below 0.3 for unrelated queries", async () => {
    const partition = await partitionOf(
      { embedder, analyzer },
      MEANING_PAIRS.map(([, entry]) => entry),
    );
    const scores: number[] = [];
    for (const query of OFF_TOPIC_QUERIES) {
      const { words, both } = await scoresOf(embedder, partition, query);
      expect(Math.max(...words), query).toBe(0);
      scores.push(...both);
    }
    expect(OFF_TOPIC_QUERIES.length).toBeGreaterThanOrEqual(20);
    expect(scores.filter((score) => score >= 0.3).length / scores.length).toBeLessThanOrEqual(0.003);
    expect(Math.max(...scores)).toBeLessThan(0.4);
  });
});

describe("an embedder with other cosines", () => {
  it("gives everything a high relevance unless it reports its unrelated cosine", async () => {
    const embedder = inACone(standard);
    const partition = await partitionOf(
      { embedder, analyzer },
      MEANING_PAIRS.map(([, entry]) => entry),
    );
    const { both } = await scoresOf(embedder, partition, OFF_TOPIC_QUERIES[0]!);
    expect(Math.min(...both)).toBeGreaterThan(0.5);
  });

  it("is rejected with an impossible unrelated cosine", () => {
    for (const value of [1, -1, Number.NaN]) expect(() => cosineScale(value)).toThrow(TypeError);
  });
});
