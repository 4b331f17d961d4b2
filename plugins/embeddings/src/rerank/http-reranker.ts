import { setMaxListeners } from "node:events";
import { type Clock, MemoryError, type Reranker, untilAborted } from "@membus/protocol";
import { TaskLimit } from "../task-limit.js";
import { rerankInput } from "./rerank-input.js";
import { type HttpRerankerOptions, resolveHttpRerankerOptions } from "./rerank-options.js";
import { createRerankRequest, type HttpRerankerDependencies } from "./rerank-request.js";

/**
 * A reranker behind the rerank API that several services and servers of models share: `POST <baseURL>/rerank` with
 * {model, query, documents, top_n}, answered by {results: [{index, relevance_score}]}. Nothing is sent before the
 * first call. A blank text scores 0 and is not sent.
 *
 * `rerank` gives all scores or rejects, after one attempt: with `unavailable` when the server cannot be reached, does
 * not answer in time, answers with a status other than 2xx ({status, retry_after_ms} in the detail) or unusably;
 * `too_large` ({limit, max, got}; nothing is sent) for more than the options allow. An aborted call rejects at once
 * with the signal's reason.
 * @throws {TypeError} for a missing or unknown option, or a value out of range.
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
      const asked = rerankInput(query, texts, options);
      const scores = new Array<number>(texts.length).fill(0);
      if (asked.documents.length === 0) return scores;
      const found = await inTime(dependencies.clock, options.timeoutMs, signal, (stopped) =>
        limit.run(async () => {
          stopped.throwIfAborted();
          return request(asked, stopped);
        }),
      );
      for (const [i, place] of asked.places.entries()) scores[place] = found[i]!;
      return scores;
    },
  });
}

/** What `work` comes to, stopped when the caller gives up or the time is over. */
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
    return await untilAborted(work(stopped), stopped);
  } finally {
    cancel();
    stop.abort();
  }
}
