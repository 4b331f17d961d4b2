import { MemoryError } from "@membus/protocol";
import { replyField } from "../reply-field.js";

/**
 * Returns the scores of a rerank API reply, from 0 to 1, in request order.
 * @throws {MemoryError} `unavailable` unless there is exactly one score for each of the `count` texts, within
 * 0..1 for `unit` and finite for `logits`.
 */
export function scoresOfReply(reply: unknown, count: number, scale: "unit" | "logits"): number[] {
  const results = replyField(reply, "results");
  if (!Array.isArray(results)) throw badReply("no list of results");
  if (results.length !== count) {
    throw badReply("wrong number of results", { expected: count, got: results.length });
  }
  const scores = new Array<number | undefined>(count).fill(undefined);
  for (const result of results) {
    const index = replyField(result, "index");
    if (typeof index !== "number" || !(index in scores) || scores[index] !== undefined) {
      throw badReply("an index is missing, repeated or out of range");
    }
    scores[index] = scoreOf(replyField(result, "relevance_score"), scale);
  }
  return scores as number[];
}

function scoreOf(given: unknown, scale: "unit" | "logits"): number {
  if (typeof given !== "number" || !Number.isFinite(given)) throw badReply("a score is not a finite number");
  if (scale === "logits") return 1 / (1 + Math.exp(-given));
  if (given >= 0 && given <= 1) return given;
  throw badReply("a score is outside 0..1. Set `scores: logits` if the server returns logits");
}

function badReply(reason: string, detail: { expected?: number; got?: number } = {}): MemoryError {
  return new MemoryError("unavailable", `the reranker sent an invalid reply: ${reason}`, detail);
}
