/** How cosines become closeness, 0 to 1: `gain * cosine + offset`, cut to that. */
export interface CosineScale {
  /** 1 or more. */
  readonly gain: number;
  /** Not above 0: nothing in common says nothing, and neither does no vector, which the sieve takes for that. */
  readonly offset: number;
}

/** The mean of the default embedder at 128 components, for which relevance is calibrated. */
const UNRELATED = 0.115;

/** Cosines as they are. */
export const COSINE_ITSELF: CosineScale = Object.freeze({ gain: 1, offset: 0 });

/**
 * Brings the cosine that unrelated texts have with an embedder down to where relevance expects it, and leaves 1 as it
 * is. A model whose unrelated texts lie lower needs none of that: stretched up, its ranking did not get better.
 * @throws {TypeError} for what is no mean of cosines.
 */
export function cosineScale(unrelatedCosine = 0): CosineScale {
  if (!(Math.abs(unrelatedCosine) < 1)) {
    throw new TypeError(`unrelated texts cannot have a cosine of ${unrelatedCosine}`);
  }
  const from = (unrelatedCosine - UNRELATED) / (1 - UNRELATED);
  return from <= 0 ? COSINE_ITSELF : { gain: 1 / (1 - from), offset: -from / (1 - from) };
}

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
