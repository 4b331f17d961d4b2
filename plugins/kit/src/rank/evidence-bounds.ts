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
 * What speaks for slots, as far as it takes little to tell: between which values the evidence lies, a stretch of slots
 * at a time, and the exact relevance of a slot. `rank` gives the same relevance for all slots, but reads every vector
 * in full. Relies on evidence rising with similarity, and relevance with evidence.
 */
export class EvidenceBounds {
  /** How many slots `load` takes at most. */
  readonly stretch: number;
  /** From the first slot loaded on: the evidence is no less and no more. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly #corpus: RankCorpus;
  readonly #query: RankQuery;
  readonly #words: Float32Array;
  readonly #scan: CodeScan | undefined;

  /** @throws {TypeError} when the query's vector has not the dimensions of the corpus. */
  constructor(corpus: RankCorpus, query: RankQuery) {
    checkDimensions(corpus, query.vector);
    this.#corpus = corpus;
    this.#query = query;
    this.#words = wordScores(corpus, query);
    this.#scan = codeScan(corpus.vectors, query.vector);
    this.stretch = this.#scan?.kernel.stretch ?? STRETCH;
    this.least = new Float64Array(this.stretch);
    this.most = new Float64Array(this.stretch);
  }

  /** Fills the bounds with those of the slots from `from` to before `to`. */
  load(from: number, to: number): void {
    if (this.#scan === undefined || this.#isSparse(from, to)) this.#loadExact(from, to);
    else this.#loadFromCodes(this.#scan, from, to);
  }

  /** The relevance of a live slot that the filter admits, as `rank` gives it. */
  exact(slot: number): number {
    return relevance(this.#evidence(slot));
  }

  #evidence(slot: number): number {
    const similarity = slotSimilarity(this.#corpus.vectors, this.#query.vector, slot);
    return fuseEvidence(this.#words[slot]!, similarity);
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
      const evidence = isOut ? 0 : this.#evidence(slot);
      this.least[slot - from] = evidence;
      this.most[slot - from] = evidence;
    }
  }

  /** Slots that are out get bounds too: those who ask know them, and a look at each would take longer. */
  #loadFromCodes({ kernel, codes, codeLength, query }: CodeScan, from: number, to: number): void {
    const { least, most } = this;
    const { scales, errors } = codes;
    const words = this.#words;
    const present = this.#corpus.vectors!.present;
    const dots = kernel.dots(query.components, codes.codes.subarray(from * codeLength, to * codeLength));
    const queryError = query.error * CODE_MAX * Math.sqrt(codeLength);
    for (let slot = from; slot < to; slot++) {
      const at = slot - from;
      const scale = scales[slot]!;
      const middle = dots[at]! * query.scale * scale;
      const error = present[slot]! * (query.norm * errors[slot]! + queryError * scale + ROUNDING);
      least[at] = fuseEvidence(words[slot]!, Math.min(1, Math.max(0, middle - error)));
      most[at] = fuseEvidence(words[slot]!, Math.min(1, Math.max(0, middle + error)));
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
