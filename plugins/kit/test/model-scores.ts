import { importanceFactor, keyHash } from "@membus/protocol";
import type { Embedder, PluginRetrieveRequest } from "@membus/protocol/plugin";
import { createEnglishAnalyzer } from "../src/index.js";
import { hashesOf } from "../src/search/analyzer/index.js";
import { Partition } from "../src/search/partition/partition.js";
import { indexedTexts, type OracleEntry } from "./model-oracle.js";
import { rank } from "./rank.js";
import { vectorOf } from "./scripted-embedder.js";

const analyzer = createEnglishAnalyzer();

/** Returns the embedder's vector of an entry without a given vector, or null if it has none. */
export function vectorOfEntry(entry: OracleEntry, embedder: Embedder): Float32Array | null {
  return entry.givenVector ?? vectorOf(indexedTexts(entry).text, embedder.dimensions);
}

/**
 * Returns the scores by key hash that a new partition gives to these entries. The history of the tested
 * partition must not affect its scores.
 */
export function freshScores(
  entries: readonly OracleEntry[],
  { query, mode }: Pick<PluginRetrieveRequest, "query" | "mode">,
  embedder: Embedder,
): Map<string, number> {
  if (query === undefined) return new Map(entries.map((entry) => [entry.keyHash, entry.importance]));
  const partition = new Partition({ embedder, termsOf: () => new Uint32Array(0) });
  for (const [index, entry] of entries.entries()) {
    const terms = analyzer.analyze({ ...indexedTexts(entry), occurredAt: entry.occurredAt });
    const vector = vectorOfEntry(entry, embedder);
    partition.add({
      rowId: index,
      keyHash: keyHash(entry.key),
      revision: entry.revision,
      seq: entry.seq,
      created: entry.created,
      updated: entry.updated,
      occurredAt: entry.occurredAt,
      expiresAt: 0,
      importance: entry.importance,
      group: entry.group ?? "",
      facets: "{}",
      body: "{}",
      ...{ terms, analyzer: analyzer.id, vector, embedder: embedder.id },
    });
  }
  const vector = mode === "text" ? null : vectorOf(query, embedder.dimensions);
  const terms = mode === "vector" ? [] : analyzer.analyzeQuery(query);
  const relevance = rank(partition.corpus(hashesOf(terms)), {
    terms,
    ...(vector === null ? {} : { vector }),
  });
  return new Map(
    entries.map((entry, slot) => [entry.keyHash, relevance[slot]! * importanceFactor(entry.importance)]),
  );
}
