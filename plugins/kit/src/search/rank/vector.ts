import type { RankCorpus, RankQuery, VectorColumn } from "./corpus.js";
import { COSINE_ITSELF } from "./relevance.js";

/**
 * Returns the dot product of a query with the vector that starts at `offset` in `data`: the cosine of unit
 * vectors. It uses four sums, because a single one waits for each addition to finish.
 */
export function dotProduct(query: Float32Array, data: Float32Array, offset: number): number {
  const dimensions = query.length;
  const unrolledEnd = dimensions - (dimensions % 4);
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  for (let index = 0, at = offset; index < unrolledEnd; index += 4, at += 4) {
    sum0 += query[index]! * data[at]!;
    sum1 += query[index + 1]! * data[at + 1]!;
    sum2 += query[index + 2]! * data[at + 2]!;
    sum3 += query[index + 3]! * data[at + 3]!;
  }
  for (let index = unrolledEnd; index < dimensions; index++) sum0 += query[index]! * data[offset + index]!;
  return sum0 + sum1 + (sum2 + sum3);
}

/** Returns the cosine limited to 0..1. A negative cosine counts as unrelated. */
export function similarity(query: Float32Array, data: Float32Array, offset: number): number {
  return Math.min(1, Math.max(0, dotProduct(query, data, offset)));
}

/** Returns the similarity of the query and a slot's vector, or 0 if either has no vector. */
export function slotSimilarity(
  vectors: VectorColumn | undefined,
  query: Float32Array | undefined,
  slot: number,
): number {
  if (vectors === undefined || query === undefined || vectors.present[slot] !== 1) return 0;
  if (vectors.similarities !== undefined) return vectors.similarities[slot]!;
  return similarity(query, vectors.data, slot * vectors.dimensions);
}

/**
 * Returns the closeness of a slot, 0 to 1: the similarity on the query's scale. 0 if either has no vector.
 */
export function slotCloseness(
  vectors: VectorColumn | undefined,
  { vector, scale = COSINE_ITSELF }: Pick<RankQuery, "vector" | "scale">,
  slot: number,
): number {
  return Math.min(1, Math.max(0, scale.gain * slotSimilarity(vectors, vector, slot) + scale.offset));
}

/** @throws {TypeError} if the query's vector does not have the dimensions of the corpus. */
export function checkDimensions({ vectors }: RankCorpus, vector: Float32Array | undefined): void {
  if (vector === undefined || vectors === undefined || vector.length === vectors.dimensions) return;
  throw new TypeError(`query vector has ${vector.length} dimensions, the corpus has ${vectors.dimensions}`);
}
