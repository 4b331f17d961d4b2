import { WASM_I32, WASM_V128, type WasmFunction, wasm } from "./wasm-module.js";

/** Codes taken at a time: those of a vector are as many as a multiple of this. */
export const CODE_BLOCK = 8;

const PARAMETERS = { query: 0, vectors: 1, out: 2, outEnd: 3, codeLength: 4 } as const;
const LOCALS = { queryAt: 5, first: 6, second: 7, firstEnd: 8, queryBlock: 9, firstSums: 10, secondSums: 11 };

/**
 * Dot products of one query, in numbers of 16 bits, with vectors of bytes that stand one after the other: numbers of 32
 * bits. Its parameters are addresses, the last one the number of codes of a vector. Takes two vectors a round, the last
 * one with what stands behind it: a single sum waits for each addition to end.
 */
export const DOT_PRODUCTS: WasmFunction = {
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
