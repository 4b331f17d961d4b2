import { createOpenAiEmbedder, createStaticEmbedder } from "@membus/embeddings";
import type { Clock, Embedder, Logger } from "@membus/protocol";
import type { Config } from "./config/config-schema.js";

/** The embedder that the settings name; undefined for none. */
export function composeEmbedder(
  { embedder }: Config,
  env: NodeJS.ProcessEnv,
  dependencies: { readonly clock: Clock; readonly logger: Logger },
): Embedder | undefined {
  const { provider, dimensions, base_url, model, api_key_env = "OPENAI_API_KEY" } = embedder;
  if (provider === "none") return undefined;
  if (provider === "static") return createStaticEmbedder(dimensions === undefined ? {} : { dimensions });
  if (base_url === undefined || model === undefined || dimensions === undefined) {
    throw new TypeError("embedder openai needs `base_url`, `model` and `dimensions`");
  }
  const apiKey = env[api_key_env];
  return createOpenAiEmbedder(
    { baseURL: base_url, model, dimensions, ...(apiKey === undefined ? {} : { apiKey }) },
    dependencies,
  );
}
