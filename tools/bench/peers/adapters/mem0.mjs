import { once } from "node:events";
import { createServer } from "node:http";

/**
 * mem0's open source library without a language model: `infer: false`, with embeddings from a loopback
 * server.
 */
export const packages = ["mem0ai@3.3.1"];
/** Runs install scripts, because its vector store better-sqlite3 is compiled. */
export const compiles = true;

export async function open({ embed, dimensions, directory }) {
  process.env.MEM0_TELEMETRY = "false";
  const server = await embeddingServer(embed);
  const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
  const { Memory } = await import("mem0ai/oss");
  const openai = { apiKey: "none", baseURL, url: baseURL };
  const memory = new Memory({
    embedder: {
      provider: "openai",
      config: { ...openai, model: "static", embeddingDims: dimensions },
    },
    vectorStore: {
      provider: "memory",
      config: { collectionName: "bench", dimension: dimensions, dbPath: `${directory}/vectors.db` },
    },
    llm: { provider: "openai", config: openai },
    disableHistory: true,
  });
  return {
    store: (_id, text) => memory.add(text, { userId: "bench", infer: false }),
    search: (query, limit) => memory.search(query, { filters: { user_id: "bench" }, topK: limit }),
    close: async () => server.close(),
  };
}

async function embeddingServer(embed) {
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { input, encoding_format: format } = JSON.parse(Buffer.concat(chunks).toString());
    const vectors = await embed([input].flat());
    const data = vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding:
        format === "base64" ? Buffer.from(Float32Array.from(vector).buffer).toString("base64") : vector,
    }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", model: "static", data, usage: {} }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
