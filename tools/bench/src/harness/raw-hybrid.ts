import { type Connection, connect, Index, rerankers, type Table } from "@lancedb/lancedb";
import { createStaticEmbedder } from "@membus/embeddings";
import type { Embedder } from "@membus/protocol/plugin";
import type { SampleEntry } from "./dataset.js";
import { sharesOf } from "./shares.js";

/** Number of rows created and added per batch. */
const BATCH = 10_000;

/** LanceDB hybrid search as commonly used: a text index, a vector column, and reciprocal rank fusion. */
export interface RawHybrid {
  /** Runs a query. `share` filters by a share of `withShares`, stored in a separate column. */
  topTen(query: string, share?: string): Promise<void>;
  byKey(id: string): Promise<void>;
  indexVectors(): Promise<void>;
  close(): Promise<void>;
}

export async function openRawHybrid(
  directory: string,
  entries: readonly SampleEntry[],
  embedder: Embedder = createStaticEmbedder(),
): Promise<RawHybrid> {
  const connection = await connect(directory);
  const table = await fill(connection, entries, embedder);
  const reranker = await rerankers.RRFReranker.create(60);
  const vectors = new Map<string, Float32Array>();
  return {
    async topTen(query, share) {
      // A host also embeds each query only once.
      const vector = vectors.get(query) ?? (await embedder.embed([query], "query"))[0]!;
      vectors.set(query, vector);
      const found = await hybrid(table, { query, vector, share }, reranker);
      if (found !== 10) throw new Error(`expected 10 rows for ${query}, got ${found}`);
    },
    async byKey(id) {
      const rows = await table.query().where(`id = '${id}'`).select(["id", "text"]).limit(1).toArray();
      if (rows.length !== 1) throw new Error(`row ${id} not found`);
    },
    async indexVectors() {
      await table.createIndex("vector", { config: Index.hnswSq({ distanceType: "cosine" }) });
      await table.waitForIndex(["vector_idx"], 120);
    },
    async close() {
      table.close();
      connection.close();
    },
  };
}

async function fill(
  connection: Connection,
  entries: readonly SampleEntry[],
  embedder: Embedder,
): Promise<Table> {
  let table: Table | undefined;
  for (let at = 0; at < entries.length; at += BATCH) {
    const batch = entries.slice(at, at + BATCH);
    const vectors = await embedder.embed(
      batch.map((entry) => entry.content),
      "document",
    );
    const rows = batch.map((entry, index) => ({
      id: entry.key.id,
      text: entry.content,
      share: sharesOf(at + index).at(0) ?? "none",
      vector: Array.from(vectors[index]!),
    }));
    if (table === undefined) table = await connection.createTable("rows", rows);
    else await table.add(rows);
  }
  await table!.createIndex("text", { config: Index.fts({ stem: true, removeStopWords: true }) });
  await table!.createIndex("id", { config: Index.btree() });
  await table!.optimize();
  return table!;
}

interface RawQuery {
  readonly query: string;
  readonly vector: Float32Array;
  readonly share: string | undefined;
}

/** Each entry of the one-percent share also belongs to the ten-percent share. */
const SHARE_FILTERS: Readonly<Record<string, string>> = {
  "one-percent": "share = 'one-percent'",
  "ten-percent": "share IN ('one-percent', 'ten-percent')",
};

async function hybrid(
  table: Table,
  { query, vector, share }: RawQuery,
  reranker: rerankers.RRFReranker,
): Promise<number> {
  const search = table
    .query()
    .nearestTo(vector)
    .distanceType("cosine")
    .fullTextSearch(query, { columns: ["text"] })
    .rerank(reranker)
    .select(["id", "text"])
    .limit(10);
  const rows = await (share === undefined ? search : search.where(SHARE_FILTERS[share]!)).toArray();
  return rows.length;
}
