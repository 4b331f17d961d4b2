import { existsSync, readFileSync } from "node:fs";
import { createStaticEmbedder } from "@membus/embeddings";
import { createMultilingualAnalyzer } from "@membus/languages";
import { expect, it } from "vitest";
import { cosineScale } from "../src/search/rank/index.js";
import { OFF_TOPIC_QUERIES } from "./meaning-pairs.js";
import { partitionOf } from "./meaning-partition.js";
import { rank } from "./rank.js";

/** Long conversations outside this repository. The test is skipped if the file is missing. */
const TURNS = new URL("../../../../shared/data/locomo-dev/docs.jsonl", import.meta.url);

const embedder = createStaticEmbedder();
const analyzer = createMultilingualAnalyzer();

it.skipIf(!existsSync(TURNS))(
  "in long conversations (in ../shared/data, if present) no unrelated entry reaches 0.4",
  async () => {
    const lines = readFileSync(TURNS, "utf8").trimEnd().split("\n");
    const turns = lines.map((line) => JSON.parse(line) as { speaker: string; text: string });
    const partition = await partitionOf(
      { embedder, analyzer },
      turns.map(({ speaker, text }) => `${speaker}: ${text}`),
    );
    const vectors = await embedder.embed(OFF_TOPIC_QUERIES, "query");
    const scale = cosineScale(await embedder.unrelatedCosine?.());
    const scores = OFF_TOPIC_QUERIES.flatMap((query, at) => {
      const terms = analyzer.analyzeQuery(query);
      const corpus = partition.corpus(
        terms.flatMap(({ hash, alternatives = [] }) => [hash, ...alternatives]),
      );
      const words = rank(corpus, { terms });
      return [...rank(corpus, { terms, vector: vectors[at]!, scale })].filter((_, slot) => words[slot] === 0);
    });
    expect(scores.length).toBeGreaterThan(0.99 * OFF_TOPIC_QUERIES.length * turns.length);
    expect(scores.filter((score) => score >= 0.3).length / scores.length).toBeLessThanOrEqual(0.003);
    expect(scores.filter((score) => score >= 0.4)).toEqual([]);
  },
);
