import { relevance } from "./relevance.js";

/** The relevance reported for this evidence, as `rank` gives it: a float32. */
export function relevanceAt(evidence: number): number {
  return Math.fround(relevance(evidence));
}

/** The least evidence with a relevance of at least `target`; infinite where none suffices. */
export function evidenceFor(target: number): number {
  if (relevanceAt(0) >= target) return 0;
  if (relevanceAt(1) < target) return Number.POSITIVE_INFINITY;
  let below = 0;
  let from = 1;
  for (let middle = 0.5; middle > below && middle < from; middle = (below + from) / 2) {
    if (relevanceAt(middle) < target) below = middle;
    else from = middle;
  }
  return from;
}
