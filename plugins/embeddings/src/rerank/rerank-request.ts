import { Deadline, OpenAiClient, type OpenAiClientDependencies, ProviderError } from "@membus/openai-client";
import { abortable, MemoryError } from "@membus/protocol";
import pLimit from "p-limit";
import type { RerankInput } from "./rerank-input.js";
import type { ResolvedHttpRerankerOptions } from "./rerank-options.js";
import { scoresOfReply } from "./rerank-reply.js";

const PROVIDER = "the reranker";

/** Returns one score per document. Rejects with `MemoryError` `unavailable`, or the signal's reason. */
export type RerankRequest = (input: RerankInput, signal: AbortSignal | undefined) => Promise<number[]>;

/** Queues requests above `concurrencyMax`. The timeout includes the time in the queue. */
export function createRerankRequest(
  options: ResolvedHttpRerankerOptions,
  dependencies: OpenAiClientDependencies,
): RerankRequest {
  const { model, scores, timeoutMs, concurrencyMax } = options;
  const client = new OpenAiClient(
    { ...options, provider: PROVIDER, component: "reranker", retryCountMax: 0 },
    dependencies,
  );
  const limit = pLimit(concurrencyMax);
  return async ({ query, documents }, caller) => {
    const body = { model, query, documents, top_n: documents.length };
    const message = `${PROVIDER} did not answer within ${timeoutMs} ms`;
    const deadline = new Deadline(dependencies.clock, timeoutMs, message, caller);
    const reply = limit(() => client.post("/rerank", body, deadline.signal));
    try {
      return scoresOfReply(await abortable(reply, deadline.signal), documents.length, scores);
    } catch (error) {
      throw error instanceof ProviderError ? unavailable(error, timeoutMs) : error;
    } finally {
      deadline.stop();
    }
  };
}

/** An error with a status has no cause, because the server may repeat the texts of the request in it. */
function unavailable(error: ProviderError, timeoutMs: number): MemoryError {
  const { failure, status, retryAfterMs, message, cause } = error;
  if (status === undefined) {
    const detail = failure === "timeout" ? { timeout_ms: timeoutMs } : {};
    return new MemoryError("unavailable", message, detail, { cause });
  }
  const detail = { status, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) };
  return new MemoryError("unavailable", `the reranker answered ${status}`, detail);
}
