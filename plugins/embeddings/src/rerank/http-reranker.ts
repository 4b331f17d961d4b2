import type { OpenAiClientDependencies } from "@membus/openai-client";
import { parseOptions } from "@membus/protocol";
import type { Reranker } from "@membus/protocol/plugin";
import { rerankInput } from "./rerank-input.js";
import { type HttpRerankerOptions, HttpRerankerOptionsSchema } from "./rerank-options.js";
import { createRerankRequest } from "./rerank-request.js";

/**
 * Creates a reranker for the rerank API that several services and model servers share. It sends `POST
 * <baseURL>/rerank` with {model, query, documents, top_n}, and expects {results: [{index, relevance_score}]}.
 * Nothing is sent before the first call. A blank text scores 0 and is not sent.
 *
 * `rerank` makes one attempt. It returns all scores or rejects:
 * - `unavailable` if the server cannot be reached, times out, answers a status other than 2xx ({status,
 *   retry_after_ms} in the detail) or sends an invalid reply
 * - `too_large` ({limit, max, got}; nothing is sent) if a limit of the options is exceeded
 *
 * An aborted call rejects immediately with the signal's reason.
 * @throws {TypeError} For a missing or unknown option, or a value out of range.
 */
export function createHttpReranker(
  input: HttpRerankerOptions,
  dependencies: OpenAiClientDependencies,
): Reranker {
  const options = parseOptions(HttpRerankerOptionsSchema, input);
  const request = createRerankRequest(options, dependencies);
  return Object.freeze<Reranker>({
    id: `rerank/${options.model}`,
    async rerank(query, texts, { signal } = {}) {
      signal?.throwIfAborted();
      const prepared = rerankInput(query, texts, options);
      const scores = new Array<number>(texts.length).fill(0);
      if (prepared.documents.length === 0) return scores;
      const found = await request(prepared, signal);
      for (const [i, index] of prepared.indexes.entries()) scores[index] = found[i]!;
      return scores;
    },
  });
}
