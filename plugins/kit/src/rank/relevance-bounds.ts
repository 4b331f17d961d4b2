import type { RankCorpus, RankQuery, VectorColumn } from "./corpus.js";
import { type Int8Kernel, int8Kernel } from "./int8-kernel.js";
import { checkDimensions, wordScores } from "./rank.js";
import { fuseEvidence, relevance } from "./relevance.js";
import { slotSimilarity } from "./vector.js";
import { codeLengthOf, type EncodedQuery, encodeQuery, type VectorCodes } from "./vector-codes.js";

/** Slots looked at together where no kernel says how many. */
const STRETCH = 1_024;
/** Where a filter leaves fewer slots of a stretch than one of so many, they are compared one by one. */
const SPARSE_PART = 8;
const CODE_MAX = 127;
/** Far above what rounding in doubles comes to, far below the error of the codes. */
const ROUNDING = 1e-6;

/** How to compare a query with codes. */
interface CodeScan {
  readonly kernel: Int8Kernel;
  readonly codes: VectorCodes;
  readonly codeLength: number;
  readonly query: EncodedQuery;
}

/**
 * The relevance of slots, as far as it takes little to tell: between which values it lies, a stretch of slots at a
 * time, and its exact value for a slot. `rank` gives the same values for all slots, but reads every vector in full.
 * Relies on relevance rising with similarity.
 */
export class RelevanceBounds {
  /** How many slots `load` takes at most. */
  readonly stretch: number;
  /** From the first slot loaded on. Both are the exact value where they are equal. */
  readonly atLeast: Float32Array;
  readonly atMost: Float32Array;
  readonly #corpus: RankCorpus;
  readonly #query: RankQuery;
  readonly #words: Float32Array;
  readonly #scan: CodeScan | undefined;
  /** Of a slot that nothing speaks for. */
  readonly #nothing = Math.fround(relevance(fuseEvidence(0, 0)));

  /** @throws {TypeError} when the query's vector has not the dimensions of the corpus. */
  constructor(corpus: RankCorpus, query: RankQuery) {
    checkDimensions(corpus, query.vector);
    this.#corpus = corpus;
    this.#query = query;
    this.#words = wordScores(corpus, query);
    this.#scan = codeScan(corpus.vectors, query.vector);
    this.stretch = this.#scan?.kernel.stretch ?? STRETCH;
    this.atLeast = new Float32Array(this.stretch);
    this.atMost = new Float32Array(this.stretch);
  }

  /** Fills the bounds with those of the slots from `from` to before `to`. */
  load(from: number, to: number): void {
    if (this.#scan === undefined || this.#isSparse(from, to)) this.#loadExact(from, to);
    else this.#loadFromCodes(this.#scan, from, to);
  }

  /** The relevance of a live slot that the filter admits. */
  exact(slot: number): number {
    const similarity = slotSimilarity(this.#corpus.vectors, this.#query.vector, slot);
    return relevanceOf(this.#words[slot]!, similarity);
  }

  #isSparse(from: number, to: number): boolean {
    const { allowed } = this.#query;
    if (allowed === undefined) return false;
    let count = 0;
    for (let slot = from; slot < to; slot++) count += allowed[slot]!;
    return count * SPARSE_PART < to - from;
  }

  #loadExact(from: number, to: number): void {
    const { alive } = this.#corpus;
    const { allowed } = this.#query;
    for (let slot = from; slot < to; slot++) {
      const isOut = alive[slot] === 0 || allowed?.[slot] === 0;
      this.#set(slot - from, isOut ? 0 : this.exact(slot));
    }
  }

  #loadFromCodes(scan: CodeScan, from: number, to: number): void {
    const { codes, codeLength, query } = scan;
    const { alive, vectors } = this.#corpus;
    const { allowed } = this.#query;
    const dots = scan.kernel.dots(query.components, codes.codes.subarray(from * codeLength, to * codeLength));
    const queryError = query.error * CODE_MAX * Math.sqrt(codeLength);
    for (let slot = from; slot < to; slot++) {
      const at = slot - from;
      if (alive[slot] === 0 || allowed?.[slot] === 0) this.#set(at, 0);
      else if (vectors!.present[slot] !== 1) this.#set(at, relevanceOf(this.#words[slot]!, 0));
      else {
        const scale = codes.scales[slot]!;
        const middle = dots[at]! * query.scale * scale;
        const error = query.norm * codes.errors[slot]! + queryError * scale + ROUNDING;
        this.#setBetween(at, this.#words[slot]!, middle - error, middle + error);
      }
    }
  }

  #set(at: number, value: number): void {
    this.atLeast[at] = value;
    this.atMost[at] = value;
  }

  #setBetween(at: number, words: number, least: number, most: number): void {
    if (words === 0 && most <= 0) this.#set(at, this.#nothing);
    else {
      this.atLeast[at] = relevanceOf(words, Math.min(1, Math.max(0, least)));
      this.atMost[at] = relevanceOf(words, Math.min(1, Math.max(0, most)));
    }
  }
}

function codeScan(vectors: VectorColumn | undefined, vector: Float32Array | undefined): CodeScan | undefined {
  if (vectors?.codes === undefined || vector === undefined) return undefined;
  const codeLength = codeLengthOf(vectors.dimensions);
  const kernel = int8Kernel(codeLength);
  if (kernel === undefined) return undefined;
  return { kernel, codes: vectors.codes, codeLength, query: encodeQuery(vector, kernel.queryMax) };
}

/** As `rank` gives it: a float32. */
function relevanceOf(words: number, similarity: number): number {
  return Math.fround(relevance(fuseEvidence(words, similarity)));
}
