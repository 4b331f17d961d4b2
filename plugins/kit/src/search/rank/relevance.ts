/** Linear scale from cosine to closeness: `gain * cosine + offset`, limited to 0..1. */
export interface CosineScale {
  /** 1 or more. */
  readonly gain: number;
  /**
   * Not above 0, so that a cosine of 0 has closeness 0. The prefilter treats slots without a vector as cosine
   * 0.
   */
  readonly offset: number;
}

/**
 * Mean cosine of unrelated texts with the default embedder at 128 components. Relevance is calibrated for it.
 */
const UNRELATED = 0.115;

/** Scale that leaves cosines unchanged. */
export const COSINE_ITSELF: CosineScale = Object.freeze({ gain: 1, offset: 0 });

/**
 * Returns a scale that maps an embedder's mean cosine of unrelated texts to the calibrated one and leaves 1
 * unchanged. A model with a lower mean is not scaled, because stretching did not improve its ranking.
 * @throws {TypeError} if `unrelatedCosine` is not between -1 and 1.
 */
export function cosineScale(unrelatedCosine = 0): CosineScale {
  if (!(Math.abs(unrelatedCosine) < 1)) {
    throw new TypeError(
      `the mean cosine of unrelated texts must be between -1 and 1, got ${unrelatedCosine}`,
    );
  }
  const from = (unrelatedCosine - UNRELATED) / (1 - UNRELATED);
  return from <= 0 ? COSINE_ITSELF : { gain: 1 / (1 - from), offset: -from / (1 - from) };
}

/**
 * Weight of vectors. On plain conversations they add 1.6 points of recall@10 and 1 of nDCG@10. Values from
 * 0.15 to 0.35 differ by less than a point, but above 0.25 the gain in nDCG@10 is uncertain. 0.5 gains
 * nothing.
 */
export const VECTOR_WEIGHT = 0.25;
/** Evidence with a relevance of about one half. */
const EVIDENCE_MIDDLE = 0.165;
const MIDDLE_SQUARED = EVIDENCE_MIDDLE ** 2;
/** Upper bound of the relative rounding error of a float32. */
const ROUNDING = 1e-6;

/** Combines the lexical score and the closeness, each 0 to 1, as independent evidence. */
export function fuseEvidence(lexical: number, closeness: number): number {
  return 1 - (1 - lexical) * (1 - VECTOR_WEIGHT * closeness);
}

/**
 * Returns the relevance for combined evidence, a float32: 0 for 0, 1 for 1, and rising between. It is a fixed
 * S-shaped curve: flat at the similarities of unrelated texts, steep where words begin to match, and flat
 * again near a full match. Calibrated for the static embedder at 128 components. `cosineScale` adjusts
 * others. The README of the kit has examples, under "What a score means".
 */
export function relevance(evidence: number): number {
  const squared = evidence * evidence;
  return Math.fround((squared * (1 + MIDDLE_SQUARED)) / (squared + MIDDLE_SQUARED));
}

/** Returns the smallest evidence with a relevance of at least `target`, or infinity if none is enough. */
export function evidenceFor(target: number): number {
  if (relevance(0) >= target) return 0;
  if (relevance(1) < target) return Number.POSITIVE_INFINITY;
  const near = Math.sqrt((target * MIDDLE_SQUARED) / (1 + MIDDLE_SQUARED - target));
  let below = near * (1 - ROUNDING);
  let from = Math.min(1, near * (1 + ROUNDING));
  // The smallest targets have a larger rounding error.
  if (relevance(below) >= target) below = 0;
  if (relevance(from) < target) from = 1;
  for (let middle = (below + from) / 2; middle > below && middle < from; middle = (below + from) / 2) {
    if (relevance(middle) < target) below = middle;
    else from = middle;
  }
  return from;
}
