import { connect } from "@lancedb/lancedb";
import { createStaticEmbedder } from "@membus/embeddings";
import { createEnglishAnalyzer, type ScopedRow } from "@membus/plugin-kit";
import { tableSchema, toArrowTable } from "@membus/plugin-lancedb";
import { keyHash } from "@membus/protocol";
import type { SampleEntry } from "./dataset.js";

/** LanceDB without membus: adds prebuilt Arrow batches with the columns of a durable tier. */
export interface RawStore {
  readonly batchCount: number;
  add(batch: number): Promise<void>;
  close(): Promise<void>;
}

const DIMENSIONS = 128;

export async function openRawStore(
  directory: string,
  entries: readonly SampleEntry[],
  batchSize: number,
): Promise<RawStore> {
  const connection = await connect(directory);
  const table = await connection.createEmptyTable("rows", tableSchema(DIMENSIONS));
  const rows = await scopedRows(entries);
  const batches = Array.from({ length: Math.floor(rows.length / batchSize) }, (_, index) =>
    toArrowTable(rows.slice(index * batchSize, (index + 1) * batchSize), DIMENSIONS),
  );
  return {
    batchCount: batches.length,
    async add(batch) {
      await table.add(batches[batch]!);
    },
    async close() {
      table.close();
      connection.close();
    },
  };
}

async function scopedRows(entries: readonly SampleEntry[]): Promise<ScopedRow[]> {
  const analyzer = createEnglishAnalyzer();
  const embedder = createStaticEmbedder({ dimensions: DIMENSIONS });
  const vectors = await embedder.embed(
    entries.map((entry) => entry.content),
    "document",
  );
  const now = 1_700_000_000;
  return entries.map((entry, index) => ({
    scope: JSON.stringify(["episodic", "default", `agent-${index % 100}`, null, "default"]),
    row: {
      rowId: index,
      keyHash: keyHash(entry.key),
      revision: index + 1,
      seq: index + 1,
      ...{ created: now, updated: now, occurredAt: now, expiresAt: 0, importance: 1, group: "" },
      facets: JSON.stringify({ key: entry.key, tags: entry.tags, source: "bench", author: "bench" }),
      body: JSON.stringify({ content: entry.content, ttl: null }),
      terms: analyzer.analyze({ text: entry.content, context: entry.key.id, occurredAt: now }),
      analyzer: analyzer.id,
      embedder: embedder.id,
      vector: vectors[index]!,
    },
  }));
}
