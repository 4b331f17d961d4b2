import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createStaticEmbedder } from "@membus/embeddings";
import type { Embedder } from "@membus/protocol/plugin";

/** Limit of the static embedder. Longer vectors are served over HTTP, like the vectors of a model. */
const STATIC_DIMENSIONS_MAX = 256;

/** An embedder, and the settings with which a host uses the same one. */
export interface BenchEmbedding {
  readonly embedder: Embedder;
  /** Settings for `membus.yaml`. */
  readonly settings: object;
  close(): Promise<void>;
}

export async function openEmbedding(dimensions: number): Promise<BenchEmbedding> {
  if (dimensions > STATIC_DIMENSIONS_MAX) return serveTiled(dimensions);
  const settings = { provider: "static", dimensions };
  return { embedder: createStaticEmbedder({ dimensions }), settings, close: async () => {} };
}

/**
 * Serves vectors of the default embedder, repeated to the required length, with the OpenAI API. Their cosines
 * are unchanged, but they are as expensive to send, store and compare as a model's vectors.
 */
async function serveTiled(dimensions: number): Promise<BenchEmbedding> {
  const embedder = tiledEmbedder(dimensions);
  const server = createServer(
    (request, response) => void answer(embedder, request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    embedder,
    settings: { provider: "openai", base_url, model: embedder.id, dimensions },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function tiledEmbedder(dimensions: number): Embedder {
  const inner = createStaticEmbedder();
  const tile = (vector: Float32Array | null) => vector && tiled(vector, dimensions);
  return {
    id: `tiled-${dimensions}`,
    dimensions,
    embed: async (texts, kind) => (await inner.embed(texts, kind)).map(tile),
  };
}

function tiled(vector: Float32Array, dimensions: number): Float32Array {
  const longer = Float32Array.from({ length: dimensions }, (_, at) => vector[at % vector.length]!);
  const length = Math.hypot(...longer);
  return longer.map((component) => component / length);
}

async function answer(embedder: Embedder, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { input } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { input: string[] };
  const vectors = await embedder.embed(input, "document");
  const data = vectors.map((vector, index) => ({ index, embedding: Array.from(vector!) }));
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ data }));
}
