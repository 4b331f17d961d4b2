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
