export type { OpenAiClientDependencies } from "@membus/openai-client";
export { createOpenAiEmbedder } from "./openai/openai-embedder.js";
export type { OpenAiEmbedderOptions } from "./openai/openai-options.js";
export { createHttpReranker } from "./rerank/http-reranker.js";
export type { HttpRerankerOptions } from "./rerank/rerank-options.js";
export {
  createStaticEmbedder,
  STATIC_EMBEDDER_DEFAULTS,
  type StaticEmbedderOptions,
} from "./static/static-embedder.js";
export {
  createTransformersEmbedder,
  type TransformersRuntime,
} from "./transformers/transformers-embedder.js";
export type { ModelDtype, TransformersEmbedderOptions } from "./transformers/transformers-options.js";
export { withUnrelatedCosine } from "./unrelated/unrelated-cosine.js";
