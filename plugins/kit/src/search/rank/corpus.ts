import type { QueryTerm } from "../analyzer/analyzer.js";
import type { CosineScale } from "./relevance.js";
import type { VectorCodes } from "./vector-codes.js";

/** Where a term occurs: slots and, for each, the packed counts of its fields. Both may be longer than `size`. */
export interface Postings {
  readonly slots: Uint32Array;
  readonly counts: Uint16Array;
  readonly size: number;
}

/** What ranking sees of a partition. Arrays have an element a slot and may be longer than `slotCount`. */
export interface RankCorpus {
  readonly slotCount: number;
  /** 1 for a slot in use, 0 for one that was forgotten or replaced. */
  readonly alive: Uint8Array;
  readonly liveCount: number;
  /** `weightedLength` of each slot's terms. */
  readonly lengths: Float32Array;
  /** Sum of the lengths of live slots. */
  readonly lengthTotal: number;
  /** The group of each slot; 0 = in none. */
  readonly groups: Uint32Array;
  /** False where all slots are in none. */
  readonly hasGroups?: boolean;
  /** Where a term occurs; undefined for nowhere. Dead slots in it do not count. */
  postings(hash: number): Postings | undefined;
  readonly vectors?: VectorColumn;
}

/** Unit vectors, slot after slot. */
export interface VectorColumn {
  readonly data: Float32Array;
  readonly dimensions: number;
  /** 1 for a slot that has a vector. */
  readonly present: Uint8Array;
  /** Of every slot that has a vector; absent where these are too few to make a difference, or not all encoded yet. */
  readonly codes?: VectorCodes;
}

/** Where in an entry a word of the query can stand. */
export type RankField = "text" | "context" | "time";

export interface RankQuery {
  /** Distinct; empty for a query by vector alone. */
  readonly terms: readonly QueryTerm[];
  /** Where the terms are looked for; without it, everywhere. Says nothing about the vector. */
  readonly fields?: readonly RankField[];
  /** Unit vector. Ignored for a corpus without vectors. */
  readonly vector?: Float32Array;
  /** How its cosines become closeness; without it, they are taken as they are. */
  readonly scale?: CosineScale;
  /** 1 for each slot that may be found; without it, all may. */
  readonly allowed?: Uint8Array;
}
