import { setMaxListeners } from "node:events";
import type { OpenAiClientDependencies } from "@membus/openai-client";
import { abortable, parseOptions } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import pLimit from "p-limit";
import { shortDigest } from "../prefix.js";
import { createEmbeddingsRequest } from "./embeddings-request.js";
import {
  type OpenAiEmbedderOptions,
  OpenAiEmbedderOptionsSchema,
  type ResolvedOpenAiEmbedderOptions,
} from "./openai-options.js";
import { batchesOf, type Prompt, promptsOf } from "./prompt.js";

/**
 * Creates an embedder that uses the embeddings API of OpenAI or of a compatible server. Nothing is sent
 * before the first call of `embed`, and the server need not be running until then. A blank text has no vector
 * and is never sent.
 *
 * `embed` returns all vectors, or rejects and aborts its other requests:
 * - `unavailable` if the provider cannot be reached, times out, or answers 408, 409, 429 or 5xx after the
 *   last retry. The detail may have `retry_after_ms`.
 * - `too_large` for a text over `textBytesMax` ({limit, max, got, index}; nothing is sent)
 * - `unauthorized` for 401 and 403
 * - `runtime_error` for another status or an invalid reply
 *
 * The detail has the HTTP `status`, if any. An aborted call rejects immediately with the signal's reason.
 * @throws {TypeError} For a missing or unknown option, or a value out of range.
 */
export function createOpenAiEmbedder(
  input: OpenAiEmbedderOptions,
  dependencies: OpenAiClientDependencies,
): Embedder {
  const options = parseOptions(OpenAiEmbedderOptionsSchema, input);
  const request = createEmbeddingsRequest(options, dependencies);
  const limit = pLimit(options.concurrencyMax);
  const embedBatch = (batch: readonly Prompt[], vectors: (Float32Array | null)[], signal: AbortSignal) =>
    limit(async () => {
      const embedded = await request(
        batch.map((prompt) => prompt.text),
        signal,
      );
      for (const [i, prompt] of batch.entries()) vectors[prompt.index] = embedded[i] ?? null;
    });
  return Object.freeze<Embedder>({
    id: embedderId(options),
    dimensions: options.dimensions,
    async embed(texts, kind, { signal } = {}) {
      signal?.throwIfAborted();
      const batches = batchesOf(promptsOf(texts, kind, options), options.batchSize, options.batchBytesMax);
      const vectors = new Array<Float32Array | null>(texts.length).fill(null);
      const stop = new AbortController();
      const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      // Each pause before a retry adds a listener. Node would report more than ten as a leak.
      setMaxListeners(0, stopped);
      try {
        await abortable(Promise.all(batches.map((batch) => embedBatch(batch, vectors, stopped))), stopped);
      } finally {
        stop.abort();
      }
      return vectors;
    },
  });
}

/** Returns the embedder id. Prefixes change vectors, so the id contains a digest of them. */
function embedderId({
  model,
  dimensions,
  queryPrefix,
  documentPrefix,
}: ResolvedOpenAiEmbedderOptions): string {
  const name = `openai/${model}/${dimensions}`;
  if (queryPrefix === "" && documentPrefix === "") return name;
  return `${name}/${shortDigest([queryPrefix, documentPrefix])}`;
}
