import type { QueryTerm } from "../analyzer/analyzer.js";
import type { CosineScale } from "./relevance.js";
import type { VectorCodes } from "./vector-codes.js";

/**
 * Occurrences of a term: slots and, for each, the packed counts of its fields. Both arrays may be longer than
 * `size`.
 */
export interface Postings {
  readonly slots: Uint32Array;
  readonly counts: Uint16Array;
  readonly size: number;
}

/**
 * Data of a partition that ranking uses. Arrays have an element per slot and may be longer than `slotCount`.
 */
export interface RankCorpus {
  readonly slotCount: number;
  /** 1 for a live slot, 0 for a forgotten or replaced one. */
  readonly alive: Uint8Array;
  readonly liveCount: number;
  /** Weighted number of words of each slot. */
  readonly lengths: Float32Array;
  /** Share to which context and group count for each slot, above 0 up to 1. */
  readonly contextShares: Float32Array;
  /** Sum of the lengths of live slots. */
  readonly lengthTotal: number;
  /** Group number of each slot. 0: no group. */
  readonly groups: Uint32Array;
  /** False if no slot is in a group. */
  readonly hasGroups?: boolean;
  /** Returns the occurrences of a term, or undefined if there are none. Dead slots in it do not count. */
  postings(hash: number): Postings | undefined;
  readonly vectors?: VectorColumn;
}

/** Unit vectors, slot after slot. */
export interface VectorColumn {
  /** Empty if the vectors are not in RAM. */
  readonly data: Float32Array;
  readonly dimensions: number;
  /** 1 for a slot that has a vector. */
  readonly present: Uint8Array;
  /** Similarity of each slot to the vector of one query, if the vectors are not in RAM. NaN where it is unknown. */
  readonly similarities?: Float64Array | undefined;
  /**
   * Codes of every slot with a vector. Absent if there are too few vectors to benefit, or not all are encoded
   * yet.
   */
  readonly codes?: VectorCodes;
}

/** Part of an entry that a query's word can occur in. */
export type RankField = "text" | "context" | "time";

export interface RankQuery {
  /** Distinct terms. Empty for a query by vector only. */
  readonly terms: readonly QueryTerm[];
  /** Fields that the terms are searched in. Without it, all fields. Does not affect the vector. */
  readonly fields?: readonly RankField[];
  /** Unit vector. Ignored for a corpus without vectors. */
  readonly vector?: Float32Array;
  /** Scale that turns cosines into closeness. Without it, cosines are used unchanged. */
  readonly scale?: CosineScale;
  /** 1 for each slot that may be found. Without it, all slots may. */
  readonly allowed?: Uint8Array;
}
