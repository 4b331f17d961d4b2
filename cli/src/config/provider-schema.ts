import { option, optionSet } from "@membus/protocol";

const text = option.text().optional();
const prefix = option.value<string>((value) => typeof value === "string", "must be a string").optional();
const count = option.integer(1, Number.MAX_SAFE_INTEGER).optional();

/**
 * `embedder` in `membus.yaml`. The README of `@membus/embeddings` lists the settings of each provider with
 * units, ranges and defaults.
 */
export const EmbedderSchema = optionSet({
  provider: option.choice("static", "openai", "transformers", "none"),
  model: text,
  dimensions: count,
  query_prefix: prefix,
  document_prefix: prefix,
  base_url: text,
  api_key_env: text,
  request_dimensions: option.boolean().optional(),
  timeout_ms: count,
  max_retries: option.integer(0, Number.MAX_SAFE_INTEGER).optional(),
  batch_size: count,
  concurrency: count,
  text_bytes_max: count,
  dtype: text,
  pooling: text,
  token_count_max: count,
});

/** `reranker` in `membus.yaml`. The README of `@membus/embeddings` lists the settings. */
export const RerankerSchema = optionSet({
  base_url: option.text(),
  model: option.text(),
  api_key_env: text,
  scores: option.choice("unit", "logits").optional(),
  timeout_ms: count,
  concurrency: count,
  text_count_max: count,
  text_bytes_max: count,
  request_bytes_max: count,
});
