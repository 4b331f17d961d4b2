import type { RankCorpus, RankQuery, VectorColumn } from "./corpus.js";
import { wordScores } from "./lexical.js";
import {
  type PrefilterKernel,
  type PrefilterLimits,
  prefilterKernel,
  type ScaledQuery,
} from "./prefilter-kernel.js";
import { COSINE_ITSELF, fuseEvidence, relevance } from "./relevance.js";
import { checkDimensions, slotCloseness } from "./vector.js";
import { codeLengthOf, encodeQuery, type VectorCodes } from "./vector-codes.js";

/** Slots per call without a kernel. */
const SLICE = 1_024;
/** If a filter allows fewer than one in this many slots of a slice, the slots are checked one by one. */
const SPARSE_PART = 8;

/** Data for the comparison of a query with vector codes. */
interface CodeScan {
  readonly kernel: PrefilterKernel;
  readonly codes: VectorCodes;
  readonly codeLength: number;
  readonly query: ScaledQuery;
}

/** A query that may find the slots of `allowed`, which are all live. */
export type PrefilterQuery = RankQuery & { readonly allowed: Uint8Array };

/**
 * Filters slots by the evidence for them, a slice at a time, without reading most vectors in full. It returns
 * the slots that need an exact check and counts the other slots that certainly match. It relies on evidence
 * rising with closeness.
 */
export class QuantizedPrefilter {
  /** Limit of the slots per `prefilter` call. */
  readonly sliceSize: number;
  /** Slots that need an exact check, ascending. */
  readonly candidates: Uint32Array;
  candidateCount = 0;
  /** 1 for each candidate that certainly matches. */
  readonly isCertain: Uint8Array;
  readonly #corpus: RankCorpus;
  readonly #query: PrefilterQuery;
  readonly #words: Float32Array;
  readonly #scan: CodeScan | undefined;

  /** @throws {TypeError} if the query's vector does not have the dimensions of the corpus. */
  constructor(corpus: RankCorpus, query: PrefilterQuery) {
    checkDimensions(corpus, query.vector);
    this.#corpus = corpus;
    this.#query = query;
    this.#words = wordScores(corpus, query);
    this.#scan = codeScan(corpus.vectors, query);
    this.sliceSize = this.#scan?.kernel.sliceSize ?? SLICE;
    this.candidates = new Uint32Array(this.sliceSize);
    this.isCertain = new Uint8Array(this.sliceSize);
  }

  /**
   * Fills `candidates` with slots between `from` (inclusive) and `to` (exclusive). These slots may match but
   * are not certain to, or may be on the page. @returns the number of other slots that certainly match
   */
  prefilter(from: number, to: number, limits: PrefilterLimits): number {
    if (this.#scan !== undefined && !this.#isSparse(from, to))
      return this.#prefilterCodes(this.#scan, from, to, limits);
    const { allowed } = this.#query;
    this.candidateCount = 0;
    for (let slot = from; slot < to; slot++)
      if (allowed[slot] === 1) this.candidates[this.candidateCount++] = slot;
    this.isCertain.fill(0, 0, this.candidateCount);
    return 0;
  }

  /** Returns the evidence for a slot. */
  evidence(slot: number): number {
    const closeness = slotCloseness(this.#corpus.vectors, this.#query, slot);
    return fuseEvidence(this.#words[slot]!, closeness);
  }

  /**
   * Returns the relevance of a slot, 0 to 1. It is absolute: it depends on the query, the entry, the entry's
   * own group and, slowly, on the statistics of the partition (document frequencies and entry lengths). It
   * never depends on the other results or on the filter.
   */
  relevance(slot: number): number {
    return relevance(this.evidence(slot));
  }

  #isSparse(from: number, to: number): boolean {
    const { allowed } = this.#query;
    let count = 0;
    for (let slot = from; slot < to; slot++) count += allowed[slot]!;
    return count * SPARSE_PART < to - from;
  }

  #prefilterCodes(
    { kernel, codes, codeLength, query }: CodeScan,
    from: number,
    to: number,
    limits: PrefilterLimits,
  ): number {
    const filtered = kernel.prefilter(query, limits, {
      codes: codes.codes.subarray(from * codeLength, to * codeLength),
      scales: codes.scales.subarray(from, to),
      errors: codes.errors.subarray(from, to),
      words: this.#words.subarray(from, to),
      allowed: this.#query.allowed.subarray(from, to),
    });
    this.candidateCount = 0;
    for (const group of filtered.candidateGroups) {
      // A group has four slots, with one bit for each in slot order.
      const first = from + (group >>> 8) * 4;
      for (let lane = 0; lane < 4; lane++) {
        if (((group >>> lane) & 1) === 0) continue;
        this.isCertain[this.candidateCount] = (group >>> (4 + lane)) & 1;
        this.candidates[this.candidateCount++] = first + lane;
      }
    }
    return filtered.certainCount;
  }
}

function codeScan(
  vectors: VectorColumn | undefined,
  { vector, scale = COSINE_ITSELF }: RankQuery,
): CodeScan | undefined {
  if (vectors?.codes === undefined || vector === undefined) return undefined;
  const codeLength = codeLengthOf(vectors.dimensions);
  const kernel = prefilterKernel(codeLength);
  if (kernel === undefined) return undefined;
  return {
    kernel,
    codes: vectors.codes,
    codeLength,
    query: { ...encodeQuery(vector, kernel.queryMax), cosines: scale },
  };
}
