import { type Clock, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { createGuardedFetch } from "../http/guarded-fetch.js";
import { retryAfterMs } from "../http/retry-after.js";
import type { RerankInput } from "./rerank-input.js";
import type { ResolvedHttpRerankerOptions } from "./rerank-options.js";
import { scoresOfReply } from "./rerank-reply.js";

export interface HttpRerankerDependencies {
  /** Used for the timeout and for `Retry-After` dates. */
  readonly clock: Clock;
  /** Receives a line per request, at level debug, without texts or the API key. */
  readonly logger: Logger;
}

/** Returns one score per document. Rejects with `MemoryError` `unavailable`. */
export type RerankRequest = (input: RerankInput, signal: AbortSignal) => Promise<number[]>;

export function createRerankRequest(
  options: ResolvedHttpRerankerOptions,
  { clock, logger }: HttpRerankerDependencies,
): RerankRequest {
  const guardedFetch = createGuardedFetch({ ...options, retryAfterMsMax: 0 }, clock);
  const url = `${options.baseURL.replace(/\/+$/, "")}/rerank`;
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    ...(options.apiKey === "" ? {} : { authorization: `Bearer ${options.apiKey}` }),
  };
  return async ({ query, documents }, signal) => {
    const body = JSON.stringify({ model: options.model, query, documents, top_n: documents.length });
    const response = await guardedFetch(url, { method: "POST", headers, body, signal }).catch(unreachable);
    const fields = { component: "reranker", status: response.status, texts: documents.length };
    logger.debug(fields, "received a reply from the reranker");
    if (!response.ok) throw statusFailure(response, clock);
    return scoresOfReply(await response.json().catch(unreadable), documents.length, options.scores);
  };
}

function unreachable(cause: unknown): never {
  throw new MemoryError("unavailable", "cannot get a reply from the reranker", {}, { cause });
}

/** Omits the cause, because it quotes the reply, which may repeat the API key. */
function unreadable(): never {
  throw new MemoryError("unavailable", "the reranker sent an invalid reply: not JSON");
}

function statusFailure({ status, headers }: Response, clock: Clock): MemoryError {
  const waitMs = retryAfterMs(headers, clock);
  const detail = waitMs === undefined ? { status } : { status, retry_after_ms: waitMs };
  return new MemoryError("unavailable", `the reranker answered ${status}`, detail);
}
