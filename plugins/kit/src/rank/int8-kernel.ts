import { loadFunction, WASM_I32, WASM_V128, type WasmFunction, wasm } from "./wasm-module.js";

/** Components that the kernel takes at a time: codes of a vector are as many as a multiple of this. */
export const CODE_BLOCK = 8;
/** Codes that are looked at together stay in the processor's second cache. */
const STRETCH_BYTES = 65_536;
const I32_MAX = 2 ** 31 - 1;
const CODE_MAX = 127;

/** Dot products of one query with many vectors of bytes, in integers. */
export interface Int8Kernel {
  /** Vectors that one call takes at most. */
  readonly stretch: number;
  /** The largest component that a query may have: sums must stay below 2^31. */
  readonly queryMax: number;
  /**
   * One number a vector, valid until the next call. `query` has its components up to `queryMax` either way; `codes` are
   * those of at most `stretch` vectors, one after the other.
   */
  dots(query: Int16Array, codes: Int8Array): Int32Array;
}

const kernels = new Map<number, Int8Kernel | undefined>();

/** The kernel for vectors of so many codes, a multiple of 8; undefined where the engine has no SIMD. */
export function int8Kernel(codeLength: number): Int8Kernel | undefined {
  if (!kernels.has(codeLength)) kernels.set(codeLength, createKernel(codeLength));
  return kernels.get(codeLength);
}

/** In its memory: the query, then the vectors, then what came out. */
function createKernel(codeLength: number): Int8Kernel | undefined {
  const stretch = Math.max(2, 2 * Math.floor(STRETCH_BYTES / codeLength / 2));
  const vectorsAt = 2 * codeLength;
  const outAt = vectorsAt + stretch * codeLength;
  const loaded = loadFunction(DOT_PRODUCTS, outAt + 4 * stretch);
  if (loaded === undefined) return undefined;
  const { memory, run } = loaded;
  const components = new Int16Array(memory, 0, codeLength);
  const vectors = new Int8Array(memory, vectorsAt, stretch * codeLength);
  const out = new Int32Array(memory, outAt, stretch);
  return {
    stretch,
    queryMax: Math.min(32_767, Math.floor(I32_MAX / (CODE_MAX * codeLength))),
    dots(query, codes) {
      components.set(query);
      vectors.set(codes);
      run(0, vectorsAt, outAt, outAt + (4 * codes.length) / codeLength, codeLength);
      return out;
    },
  };
}

const PARAMETERS = { query: 0, vectors: 1, out: 2, outEnd: 3, codeLength: 4 } as const;
const LOCALS = { queryAt: 5, first: 6, second: 7, firstEnd: 8, queryBlock: 9, firstSums: 10, secondSums: 11 };

/** Takes two vectors a round, the last one with what stands behind it: a single sum waits for each addition to end. */
const DOT_PRODUCTS: WasmFunction = {
  parameterCount: 5,
  locals: [WASM_I32, WASM_I32, WASM_I32, WASM_I32, WASM_V128, WASM_V128, WASM_V128],
  code: wasm.loopWhile([
    ...beginPair(),
    ...wasm.loopWhile([
      ...[...wasm.get(LOCALS.queryAt), ...wasm.loadV128(), ...wasm.set(LOCALS.queryBlock)],
      ...addBlock(LOCALS.first, LOCALS.firstSums),
      ...addBlock(LOCALS.second, LOCALS.secondSums),
      ...[...advance(LOCALS.queryAt, 2 * CODE_BLOCK), ...advance(LOCALS.second, CODE_BLOCK)],
      ...advance(LOCALS.first, CODE_BLOCK),
      ...[...wasm.get(LOCALS.first), ...wasm.get(LOCALS.firstEnd), ...wasm.isLess()],
    ]),
    ...[...wasm.get(PARAMETERS.out), ...sumOf(LOCALS.firstSums), ...wasm.storeI32(0)],
    ...[...wasm.get(PARAMETERS.out), ...sumOf(LOCALS.secondSums), ...wasm.storeI32(4)],
    ...[...wasm.get(LOCALS.second), ...wasm.set(PARAMETERS.vectors)],
    ...advance(PARAMETERS.out, 8),
    ...[...wasm.get(PARAMETERS.out), ...wasm.get(PARAMETERS.outEnd), ...wasm.isLess()],
  ]),
};

function beginPair(): number[] {
  return [
    ...[...wasm.get(PARAMETERS.query), ...wasm.set(LOCALS.queryAt)],
    ...[...wasm.get(PARAMETERS.vectors), ...wasm.tee(LOCALS.first)],
    ...[...wasm.get(PARAMETERS.codeLength), ...wasm.add()],
    ...[...wasm.tee(LOCALS.second), ...wasm.set(LOCALS.firstEnd)],
    ...[...wasm.zeroV128(), ...wasm.tee(LOCALS.firstSums), ...wasm.set(LOCALS.secondSums)],
  ];
}

function addBlock(address: number, sums: number): number[] {
  const products = [
    ...wasm.get(address),
    ...wasm.load8x8(),
    ...wasm.get(LOCALS.queryBlock),
    ...wasm.dotI16x8(),
  ];
  return [...wasm.get(sums), ...products, ...wasm.addI32x4(), ...wasm.set(sums)];
}

function sumOf(sums: number): number[] {
  const lane = (index: number) => [...wasm.get(sums), ...wasm.laneI32x4(index)];
  return [...lane(0), ...lane(1), ...wasm.add(), ...lane(2), ...lane(3), ...wasm.add(), ...wasm.add()];
}

function advance(local: number, bytes: number): number[] {
  return [...wasm.get(local), ...wasm.constant(bytes), ...wasm.add(), ...wasm.set(local)];
}
