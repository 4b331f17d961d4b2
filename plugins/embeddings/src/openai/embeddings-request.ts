import {
  OpenAiClient,
  type OpenAiClientDependencies,
  ProviderError,
  type ProviderFailure,
} from "@membus/openai-client";
import { type ErrorCode, MemoryError } from "@membus/protocol";
import { vectorsOfReply } from "./embedding-reply.js";
import type { ResolvedOpenAiEmbedderOptions } from "./openai-options.js";

/** Embeds one batch of texts, with the configured retries. Rejects with `MemoryError`. */
export type EmbeddingsRequest = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<(Float32Array | null)[]>;

const CODES: Readonly<Record<ProviderFailure, ErrorCode>> = {
  unauthorized: "unauthorized",
  too_large: "too_large",
  rate_limited: "unavailable",
  timeout: "unavailable",
  unavailable: "unavailable",
  invalid_request: "runtime_error",
  invalid_reply: "runtime_error",
  reply_too_long: "unavailable",
};

export function createEmbeddingsRequest(
  options: ResolvedOpenAiEmbedderOptions,
  dependencies: OpenAiClientDependencies,
): EmbeddingsRequest {
  const names = { provider: "the embedding provider", component: "embedder" };
  const client = new OpenAiClient(
    { ...options, ...names, attemptTimeoutMs: options.timeoutMs },
    dependencies,
  );
  const { model, dimensions, requestDimensions } = options;
  return async (texts, signal) => {
    const body = { model, input: texts, encoding_format: "float", ...(requestDimensions && { dimensions }) };
    const reply = await client.post("/embeddings", body, signal).catch(rejectWithCode);
    return vectorsOfReply(reply, texts.length, dimensions);
  };
}

/** The message does not contain the server's error, because the server may repeat the texts in it. */
function rejectWithCode(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  const { failure, status, retryAfterMs, message, cause } = error;
  if (status === undefined) throw new MemoryError(CODES[failure], message, {}, { cause });
  const code = status === 400 || status === 422 ? "schema_violation" : CODES[failure];
  const detail = { status, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) };
  throw new MemoryError(code, `the embedding provider answered ${status}`, detail, { cause: error });
}
