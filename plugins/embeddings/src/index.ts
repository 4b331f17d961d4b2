export type { OpenAiEmbedderDependencies } from "./openai/embeddings-request.js";
export { createOpenAiEmbedder } from "./openai/openai-embedder.js";
export {
  OPENAI_EMBEDDER_DEFAULTS,
  type OpenAiEmbedderOptions,
  type ResolvedOpenAiEmbedderOptions,
  resolveOpenAiEmbedderOptions,
} from "./openai/openai-options.js";
export {
  createStaticEmbedder,
  resolveStaticEmbedderOptions,
  STATIC_EMBEDDER_DEFAULTS,
  type StaticEmbedderOptions,
} from "./static/static-embedder.js";
