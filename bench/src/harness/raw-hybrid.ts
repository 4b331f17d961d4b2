import { connect, Index, rerankers, type Table } from "@lancedb/lancedb";
import { createStaticEmbedder } from "@membus/embeddings";
import type { SampleEntry } from "./dataset.js";

/** LanceDB as its users use it for hybrid search: a text index, a vector column, reciprocal rank fusion. */
export interface RawHybrid {
  topTen(query: string): Promise<void>;
  indexVectors(): Promise<void>;
  close(): Promise<void>;
}

export async function openRawHybrid(directory: string, entries: readonly SampleEntry[]): Promise<RawHybrid> {
  const embedder = createStaticEmbedder();
  const connection = await connect(directory);
  const vectors = await embedder.embed(
    entries.map((entry) => entry.content),
    "document",
  );
  const rows = entries.map((entry, index) => ({
    id: entry.key.id,
    text: entry.content,
    vector: Array.from(vectors[index]!),
  }));
  const table = await connection.createTable("rows", rows);
  await table.createIndex("text", { config: Index.fts({ stem: true, removeStopWords: true }) });
  await table.optimize();
  const reranker = await rerankers.RRFReranker.create(60);
  return {
    async topTen(query) {
      const [vector] = await embedder.embed([query], "query");
      const found = await hybrid(table, query, vector!, reranker);
      if (found !== 10) throw new Error(`expected 10 rows for ${query}, got ${found}`);
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

async function hybrid(
  table: Table,
  query: string,
  vector: Float32Array,
  reranker: rerankers.RRFReranker,
): Promise<number> {
  const rows = await table
    .query()
    .nearestTo(vector)
    .distanceType("cosine")
    .fullTextSearch(query, { columns: ["text"] })
    .rerank(reranker)
    .select(["id", "text"])
    .limit(10)
    .toArray();
  return rows.length;
}
