import { setMaxListeners } from "node:events";
import { abortable, type Clock, MemoryError } from "@membus/protocol";
import type { Reranker } from "@membus/protocol/plugin";
import { TaskLimit } from "../task-limit.js";
import { rerankInput } from "./rerank-input.js";
import { type HttpRerankerOptions, resolveHttpRerankerOptions } from "./rerank-options.js";
import { createRerankRequest, type HttpRerankerDependencies } from "./rerank-request.js";

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
  dependencies: HttpRerankerDependencies,
): Reranker {
  const options = resolveHttpRerankerOptions(input);
  const request = createRerankRequest(options, dependencies);
  const limit = new TaskLimit(options.concurrencyMax);
  return Object.freeze<Reranker>({
    id: `rerank/${options.model}`,
    async rerank(query, texts, { signal } = {}) {
      signal?.throwIfAborted();
      const prepared = rerankInput(query, texts, options);
      const scores = new Array<number>(texts.length).fill(0);
      if (prepared.documents.length === 0) return scores;
      const found = await inTime(dependencies.clock, options.timeoutMs, signal, (stopped) =>
        limit.run(async () => {
          stopped.throwIfAborted();
          return request(prepared, stopped);
        }),
      );
      for (const [i, index] of prepared.indexes.entries()) scores[index] = found[i]!;
      return scores;
    },
  });
}

/** Runs `work` and aborts it when the caller aborts or the timeout expires. */
async function inTime<T>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (stopped: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const late = new MemoryError("unavailable", "the reranker did not answer in time", {
    timeout_ms: timeoutMs,
  });
  const cancel = clock.after(timeoutMs, () => stop.abort(late));
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  setMaxListeners(0, stopped);
  try {
    return await abortable(work(stopped), stopped);
  } finally {
    cancel();
    stop.abort();
  }
}
