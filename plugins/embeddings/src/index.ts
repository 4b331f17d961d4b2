export type { OpenAiEmbedderDependencies } from "./openai/embeddings-request.js";
export { createOpenAiEmbedder } from "./openai/openai-embedder.js";
export {
  OPENAI_EMBEDDER_DEFAULTS,
  type OpenAiEmbedderOptions,
  type ResolvedOpenAiEmbedderOptions,
  resolveOpenAiEmbedderOptions,
} from "./openai/openai-options.js";
export { createHttpReranker } from "./rerank/http-reranker.js";
export {
  HTTP_RERANKER_DEFAULTS,
  type HttpRerankerOptions,
  type ResolvedHttpRerankerOptions,
  resolveHttpRerankerOptions,
} from "./rerank/rerank-options.js";
export type { HttpRerankerDependencies } from "./rerank/rerank-request.js";
export {
  createStaticEmbedder,
  resolveStaticEmbedderOptions,
  STATIC_EMBEDDER_DEFAULTS,
  type StaticEmbedderOptions,
} from "./static/static-embedder.js";
export {
  createTransformersEmbedder,
  type TransformersRuntime,
} from "./transformers/transformers-embedder.js";
export {
  type ModelDtype,
  type ModelPooling,
  type ResolvedTransformersEmbedderOptions,
  resolveTransformersEmbedderOptions,
  TRANSFORMERS_EMBEDDER_DEFAULTS,
  type TransformersEmbedderOptions,
} from "./transformers/transformers-options.js";
export { withUnrelatedCosine } from "./unrelated/unrelated-cosine.js";
