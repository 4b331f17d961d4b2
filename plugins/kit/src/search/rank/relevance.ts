/**
 * On plain conversations vectors are worth 1.6 points of recall@10 and 1 of nDCG@10. 0.15 to 0.35 differ by less than a
 * point, though above 0.25 the gain in nDCG@10 is no longer sure; 0.5 gains nothing.
 */
export const VECTOR_WEIGHT = 0.25;
/** The evidence at which relevance is about one half. */
const EVIDENCE_MIDDLE = 0.165;
const MIDDLE_SQUARED = EVIDENCE_MIDDLE ** 2;
/** More than a float32 differs from what it stands for, as a share of it. */
const ROUNDING = 1e-6;

/** Joins what words say and what vectors say, each 0 to 1, as independent evidence. */
export function fuseEvidence(lexical: number, closeness: number): number {
  return 1 - (1 - lexical) * (1 - VECTOR_WEIGHT * closeness);
}

/**
 * The relevance reported for fused evidence, a float32: 0 for 0, 1 for 1, rising. A fixed curve in the shape of an S:
 * flat where similarities of unrelated texts lie, steep where words begin to agree, flat again near a full match.
 * Calibrated for the static embedder at 128 components; `cosineScale` brings others near it.
 * The README of the kit has examples, under "What a score means".
 */
export function relevance(evidence: number): number {
  const squared = evidence * evidence;
  return Math.fround((squared * (1 + MIDDLE_SQUARED)) / (squared + MIDDLE_SQUARED));
}

/** The least evidence with a relevance of at least `target`; infinite where none suffices. */
export function evidenceFor(target: number): number {
  if (relevance(0) >= target) return 0;
  if (relevance(1) < target) return Number.POSITIVE_INFINITY;
  const near = Math.sqrt((target * MIDDLE_SQUARED) / (1 + MIDDLE_SQUARED - target));
  let below = near * (1 - ROUNDING);
  let from = Math.min(1, near * (1 + ROUNDING));
  // The smallest targets are rounded by more.
  if (relevance(below) >= target) below = 0;
  if (relevance(from) < target) from = 1;
  for (let middle = (below + from) / 2; middle > below && middle < from; middle = (below + from) / 2) {
    if (relevance(middle) < target) below = middle;
    else from = middle;
  }
  return from;
}
