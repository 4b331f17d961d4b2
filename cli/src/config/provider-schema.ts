import { z } from "zod";

const text = z.string().min(1);
const positive = z.int().min(1);

/**
 * `embedder` in `membus.yaml`. The README of `@membus/embeddings` lists the settings of each provider with
 * units, ranges and defaults.
 */
export const EmbedderSchema = z.strictObject({
  provider: z.enum(["static", "openai", "transformers", "none"]),
  model: text.optional(),
  dimensions: positive.optional(),
  query_prefix: z.string().optional(),
  document_prefix: z.string().optional(),
  base_url: text.optional(),
  api_key_env: text.optional(),
  request_dimensions: z.boolean().optional(),
  timeout_ms: positive.optional(),
  max_retries: z.int().min(0).optional(),
  batch_size: positive.optional(),
  concurrency: positive.optional(),
  text_bytes_max: positive.optional(),
  dtype: text.optional(),
  pooling: text.optional(),
  token_count_max: positive.optional(),
});

/** `reranker` in `membus.yaml`. The README of `@membus/embeddings` lists the settings. */
export const RerankerSchema = z.strictObject({
  base_url: text,
  model: text,
  api_key_env: text.optional(),
  scores: z.enum(["unit", "logits"]).optional(),
  timeout_ms: positive.optional(),
  concurrency: positive.optional(),
  text_count_max: positive.optional(),
  text_bytes_max: positive.optional(),
  request_bytes_max: positive.optional(),
});
