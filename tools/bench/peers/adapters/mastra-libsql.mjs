/** Mastra's vector store on LibSQL, in a file. */
export const packages = ["@mastra/core@1.71.0", "@mastra/libsql@1.23.1"];

export async function open({ embed, dimensions, directory }) {
  const { LibSQLVector } = await import("@mastra/libsql");
  const vectors = new LibSQLVector({ id: "bench", url: `file:${directory}/mastra.db` });
  const indexName = "memories";
  await vectors.createIndex({ indexName, dimension: dimensions, metric: "cosine" });
  return {
    store: async (id, text) =>
      vectors.upsert({ indexName, ids: [id], vectors: await embed([text]), metadata: [{ text }] }),
    search: async (query, limit) =>
      vectors.query({ indexName, queryVector: (await embed([query]))[0], topK: limit }),
    close: async () => {},
  };
}
