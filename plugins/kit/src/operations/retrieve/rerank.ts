import { importanceFactor, isMemoryError, LIMITS, MemoryError, withTimeout } from "@membus/protocol";
import type { Reranker } from "@membus/protocol/plugin";
import { EMBEDDED_LENGTH_MAX, indexedText } from "../../lifecycle/index.js";
import type { RowBody } from "../../row.js";
import type { RetrieveParts } from "../tier.js";
import type { Hit } from "./entry.js";
import type { ScanPlan } from "./retrieve-plan.js";
import { type ScopedHit, sortHits, visitBodies } from "./scoped-hits.js";

/** Hits in the total order, and the reason if the reranker failed. */
export interface RankedHits {
  readonly hits: readonly ScopedHit[];
  readonly degraded?: MemoryError | undefined;
}

/** @throws {MemoryError} `unsupported` if the host has no reranker. */
export function requireReranker({ reranker }: Pick<RetrieveParts, "reranker">): Reranker {
  if (reranker !== undefined) return reranker;
  throw new MemoryError("unsupported", "this tier has no reranker", { feature: "rerank" });
}

/**
 * Rescores the best hits and drops the others. If the reranker fails, all hits are kept (clauses RET-34,
 * RET-35).
 */
export async function rerank(
  tier: RetrieveParts,
  hits: readonly ScopedHit[],
  query: string,
  plan: ScanPlan,
): Promise<RankedHits> {
  if (hits.length === 0) return { hits };
  const reranker = requireReranker(tier);
  const best = hits.slice(0, LIMITS.rerankEntries);
  try {
    const scores = await askReranker(tier, reranker, query, await textsOf(tier, best));
    const rescored = best.map(({ scope, hit }, index) => ({
      scope,
      hit: rescore(hit, scores[index]!, plan),
    }));
    const kept = rescored.filter(({ hit }) => hit.score >= plan.scoreMin);
    return { hits: sortHits(kept, plan) };
  } catch (error) {
    tier.logger.warn({ err: error, reranker: reranker.id }, "reranker failed, keeping the original order");
    return { hits, degraded: rerankerError(error) };
  }
}

async function textsOf(tier: RetrieveParts, hits: readonly ScopedHit[]): Promise<string[]> {
  const texts = new Map<Hit, string>();
  await visitBodies(tier, hits, (hit, body) => {
    const text = indexedText(JSON.parse(body) as RowBody);
    texts.set(hit, text.slice(0, EMBEDDED_LENGTH_MAX).toWellFormed());
  });
  return hits.map(({ hit }) => texts.get(hit) ?? "");
}

async function askReranker(
  tier: RetrieveParts,
  reranker: Reranker,
  query: string,
  texts: readonly string[],
): Promise<readonly number[]> {
  const late = new AbortController();
  const answer = reranker.rerank(query, texts, { signal: late.signal });
  const scores = await withTimeout(tier.clock, tier.rerankWaitMs, answer);
  if (scores === undefined) {
    late.abort();
    throw rerankerError(undefined);
  }
  const isSound = scores.length === texts.length && scores.every((score) => score >= 0 && score <= 1);
  if (!isSound)
    throw new MemoryError("unavailable", "the reranker returned an unexpected number or range of scores");
  return scores;
}

function rescore(hit: Hit, score: number, { recencyOf }: ScanPlan): Hit {
  const explanation = hit.explanation && { ...hit.explanation, rerank: score };
  return {
    ...hit,
    score: score * importanceFactor(hit.importance) * (recencyOf?.(hit.occurredAt) ?? 1),
    ...(explanation && { explanation }),
  };
}

function rerankerError(cause: unknown): MemoryError {
  if (isMemoryError(cause) && (cause.code === "unavailable" || cause.code === "overloaded")) return cause;
  return new MemoryError("unavailable", "the reranker does not respond", {}, { cause });
}
