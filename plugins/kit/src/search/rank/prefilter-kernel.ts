import { type Layout, loadPrefilter, type PrefilterConstants } from "./prefilter-module.js";
import { type CosineScale, VECTOR_WEIGHT } from "./relevance.js";
import { CODE_MAX, type EncodedQuery, type VectorCodes } from "./vector-codes.js";

/** Size of the codes processed in one call. They fit in the processor's L2 cache. */
const SLICE_BYTES = 65_536;
const I32_MAX = 2 ** 31 - 1;
/** Far above the float32 rounding error, far below the error of the codes. */
const ROUNDING = 1e-6;
/** Smallest normal float32. */
const LEAST_F32 = 2 ** -126;

/** Thresholds that the evidence for slots is compared with, 0 to 1 or infinite. */
export interface PrefilterLimits {
  /** Slots with less evidence do not match. */
  readonly matchMin: number;
  /** Slots with at least this evidence match. Not below `matchMin`. */
  readonly certainMin: number;
  /** Slots with less evidence are not on the page. */
  readonly pageMin: number;
}

/** A slice of slots. */
export interface Slice extends VectorCodes {
  /** Word score of each slot. */
  readonly words: Float32Array;
  /** 1 for each slot that may be found. */
  readonly allowed: Uint8Array;
}

/** A query with the scale of its cosines. */
export interface ScaledQuery extends EncodedQuery {
  readonly cosines: CosineScale;
}

export interface PrefilteredSlice {
  /**
   * Groups of four slots with at least one candidate. The bits of an element: the group number times 256, a
   * bit for each slot that certainly matches times 16, and a bit for each candidate. Valid until the next
   * call.
   */
  readonly candidateGroups: Uint32Array;
  /** Number of slots that certainly match and are not candidates. */
  readonly certainCount: number;
}

/**
 * Filters slots by the codes of their vectors in float32, with a margin for every error. It is WebAssembly
 * because of SIMD: in plain JavaScript a hybrid retrieve of 100,000 entries with 128 components takes 3.1 to
 * 4.5 times as long, by codes or by vectors.
 */
export interface PrefilterKernel {
  /** Limit of the slots per call. */
  readonly sliceSize: number;
  /** Largest component that a query may have, so that sums stay below 2^31. */
  readonly queryMax: number;
  prefilter(query: ScaledQuery, limits: PrefilterLimits, slots: Slice): PrefilteredSlice;
}

const kernels = new Map<number, PrefilterKernel | undefined>();

/**
 * Returns the kernel for vectors with this number of codes, a multiple of 8. Undefined if the engine has no
 * SIMD.
 */
export function prefilterKernel(codeLength: number): PrefilterKernel | undefined {
  if (!kernels.has(codeLength)) kernels.set(codeLength, createKernel(codeLength));
  return kernels.get(codeLength);
}

function createKernel(codeLength: number): PrefilterKernel | undefined {
  const sliceSize = Math.max(4, 4 * Math.floor(SLICE_BYTES / codeLength / 4));
  const { layout, end } = layoutOf(codeLength, sliceSize);
  const loaded = loadPrefilter(layout, end);
  if (loaded === undefined) return undefined;
  const { memory, prefilter } = loaded;
  const components = new Int16Array(memory, layout.query, codeLength);
  const codes = new Int8Array(memory, layout.vectors, sliceSize * codeLength);
  const scales = new Float32Array(memory, layout.scales, sliceSize);
  const errors = new Float32Array(memory, layout.errors, sliceSize);
  const words = new Float32Array(memory, layout.words, sliceSize);
  const allowed = new Uint8Array(memory, layout.allowed, sliceSize);
  const candidateGroups = new Uint32Array(memory, layout.candidateGroups, sliceSize / 4);
  return {
    sliceSize,
    queryMax: Math.min(32_767, Math.floor(I32_MAX / (CODE_MAX * codeLength))),
    prefilter(query, limits, slots) {
      components.set(query.components);
      codes.set(slots.codes);
      scales.set(slots.scales);
      errors.set(slots.errors);
      words.set(slots.words);
      allowed.fill(0).set(slots.allowed);
      const constants = constantsOf(query, limits, codeLength);
      const [candidateCount, certainCount] = prefilter(slots.allowed.length, codeLength, ...constants);
      return { candidateGroups: candidateGroups.subarray(0, candidateCount), certainCount };
    },
  };
}

/** Places every array at a multiple of 16 bytes. */
function layoutOf(codeLength: number, sliceSize: number): { readonly layout: Layout; readonly end: number } {
  let end = 0;
  const place = (bytes: number): number => {
    const at = end;
    end += 16 * Math.ceil(bytes / 16);
    return at;
  };
  const perSlot = (bytes: number) => place(bytes * sliceSize);
  const layout = {
    ...{ query: place(2 * codeLength), vectors: perSlot(codeLength), dots: perSlot(4) },
    ...{ scales: perSlot(4), errors: perSlot(4), words: perSlot(4), allowed: perSlot(1) },
    candidateGroups: perSlot(1),
  };
  return { layout, end };
}

/** Returns the constants for `prefilter`. Scale and errors are converted from cosine to closeness. */
function constantsOf(
  { scale, norm, error, cosines: { gain, offset } }: ScaledQuery,
  { matchMin, certainMin, pageMin }: PrefilterLimits,
  codeLength: number,
): PrefilterConstants {
  const queryError = error * CODE_MAX * Math.sqrt(codeLength);
  const possibleMin = Math.max(LEAST_F32, matchMin - ROUNDING);
  const closeness = [scale * gain, norm * gain, queryError * gain, ROUNDING * gain, offset] as const;
  return [...closeness, VECTOR_WEIGHT, possibleMin, certainMin + ROUNDING, pageMin - ROUNDING];
}
