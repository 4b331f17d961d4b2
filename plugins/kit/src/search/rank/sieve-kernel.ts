import type { CosineScale } from "./cosine-scale.js";
import { DOT_PRODUCTS } from "./dot-products.js";
import { VECTOR_WEIGHT } from "./relevance.js";
import { SIFT_CONSTANTS, siftSlots } from "./sift-slots.js";
import { CODE_MAX, type EncodedQuery, type VectorCodes } from "./vector-codes.js";
import { type LoadedFunction, loadFunctions } from "./wasm-module.js";

/** Codes that are looked at together stay in the processor's second cache. */
const STRETCH_BYTES = 65_536;
const I32_MAX = 2 ** 31 - 1;
/** Far above what rounding to float32 comes to, far below the error of the codes. */
const ROUNDING = 1e-6;
/** The least that float32 tells from 0 in full. */
const LEAST_F32 = 2 ** -126;

/** What the evidence for slots is compared with, 0 to 1 or infinite. */
export interface SieveLimits {
  /** No slot with less counts. */
  readonly countFrom: number;
  /** Every slot with as much counts; no less than `countFrom`. */
  readonly sureFrom: number;
  /** No slot with less belongs on the page. */
  readonly pageFrom: number;
}

/** A stretch of slots, an element or a vector's codes each. */
export interface Stretch extends VectorCodes {
  /** What words say of each. */
  readonly words: Float32Array;
  /** 1 for each that may be found. */
  readonly allowed: Uint8Array;
}

/** A query whose cosines are counted on a scale. */
export interface ScaledQuery extends EncodedQuery {
  readonly cosines: CosineScale;
}

export interface SiftedStretch {
  /** See `siftSlots`. Valid until the next call. */
  readonly openGroups: Uint32Array;
  readonly sureCount: number;
}

/** Sifts slots by codes of their vectors, in float32, with room for every error. */
export interface SieveKernel {
  /** Slots that one call takes at most. */
  readonly stretch: number;
  /** The largest component that a query may have: sums must stay below 2^31. */
  readonly queryMax: number;
  sift(query: ScaledQuery, limits: SieveLimits, slots: Stretch): SiftedStretch;
}

const kernels = new Map<number, SieveKernel | undefined>();

/** The kernel for vectors of so many codes, a multiple of 8; undefined where the engine has no SIMD. */
export function sieveKernel(codeLength: number): SieveKernel | undefined {
  if (!kernels.has(codeLength)) kernels.set(codeLength, createKernel(codeLength));
  return kernels.get(codeLength);
}

function createKernel(codeLength: number): SieveKernel | undefined {
  const stretch = Math.max(4, 4 * Math.floor(STRETCH_BYTES / codeLength / 4));
  const layout = layoutOf(codeLength, stretch);
  const loaded = loadFunctions([DOT_PRODUCTS, siftSlots(layout)], layout.end);
  if (loaded === undefined) return undefined;
  const { memory, run } = loaded;
  const [multiply, sift] = run as [LoadedFunction, LoadedFunction];
  const components = new Int16Array(memory, layout.query, codeLength);
  const codes = new Int8Array(memory, layout.vectors, stretch * codeLength);
  const [scales, errors, words] = ([layout.scales, layout.errors, layout.words] as const).map(
    (at) => new Float32Array(memory, at, stretch),
  ) as [Float32Array, Float32Array, Float32Array];
  const allowed = new Uint8Array(memory, layout.allowed, stretch);
  const constants = new Float32Array(memory, layout.constants, SIFT_CONSTANTS.length);
  const openGroups = new Uint32Array(memory, layout.openGroups, stretch / 4);
  const results = new Uint32Array(memory, layout.results, 2);
  return {
    stretch,
    queryMax: Math.min(32_767, Math.floor(I32_MAX / (CODE_MAX * codeLength))),
    sift(query, limits, slots) {
      components.set(query.components);
      constants.set(constantsOf(query, limits, codeLength));
      codes.set(slots.codes);
      scales.set(slots.scales);
      errors.set(slots.errors);
      words.set(slots.words);
      allowed.fill(0).set(slots.allowed);
      const end = 16 * Math.ceil(slots.allowed.length / 4);
      multiply(layout.query, layout.vectors, layout.dots, layout.dots + end, codeLength);
      sift(end);
      return { openGroups: openGroups.subarray(0, results[0]! / 4), sureCount: results[1]! };
    },
  };
}

/** Every part begins at a multiple of 16. */
function layoutOf(codeLength: number, stretch: number) {
  let end = 0;
  const place = (bytes: number): number => {
    const at = end;
    end += 16 * Math.ceil(bytes / 16);
    return at;
  };
  const perSlot = (bytes: number) => place(bytes * stretch);
  const layout = {
    ...{ query: place(2 * codeLength), vectors: perSlot(codeLength), dots: perSlot(4) },
    ...{ scales: perSlot(4), errors: perSlot(4), words: perSlot(4), allowed: perSlot(1) },
    ...{ constants: place(4 * SIFT_CONSTANTS.length), openGroups: perSlot(1), results: place(8) },
  };
  return { ...layout, end };
}

/** In the order of `SIFT_CONSTANTS`. What stands for a cosine is made to stand for closeness, errors and all. */
function constantsOf(
  { scale, norm, error, cosines: { gain, offset } }: ScaledQuery,
  { countFrom, sureFrom, pageFrom }: SieveLimits,
  codeLength: number,
): number[] {
  const queryError = error * CODE_MAX * Math.sqrt(codeLength);
  const mayFrom = Math.max(LEAST_F32, countFrom - ROUNDING);
  return [
    ...[1, scale * gain, norm * gain, queryError * gain, ROUNDING * gain, offset, VECTOR_WEIGHT],
    ...[mayFrom, sureFrom + ROUNDING, pageFrom - ROUNDING],
  ];
}
