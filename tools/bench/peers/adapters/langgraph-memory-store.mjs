/** LangGraph's InMemoryStore, with a vector index. */
export const packages = ["@langchain/langgraph-checkpoint@1.1.5", "@langchain/core@1.2.13"];

export async function open({ embed, dimensions }) {
  const { InMemoryStore } = await import("@langchain/langgraph-checkpoint");
  const embeddings = {
    embedDocuments: embed,
    embedQuery: async (text) => (await embed([text]))[0],
  };
  const store = new InMemoryStore({ index: { dims: dimensions, embeddings, fields: ["text"] } });
  return {
    store: (id, text) => store.put(["bench"], id, { text }),
    search: async (query, limit) => store.search(["bench"], { query, limit }),
    close: async () => {},
  };
}
