import { WASM_I32, WASM_V128, type WasmFunction, wasm } from "./wasm-module.js";

/** Where in the memory things stand, in bytes; all but `constants` have an element a slot, or for four of them. */
export interface SiftLayout {
  /** Dot products, numbers of 32 bits. */
  readonly dots: number;
  /** float32 each. */
  readonly scales: number;
  readonly errors: number;
  readonly words: number;
  /** A byte each: 1 where a slot may be found. */
  readonly allowed: number;
  /** float32, in the order of `SIFT_CONSTANTS`. */
  readonly constants: number;
  /** What comes out: groups of four slots in which some are open, 32 bits each. */
  readonly openGroups: number;
  /** What comes out: the bytes of open groups, and the number of slots that surely count and are not open. */
  readonly results: number;
}

export const SIFT_CONSTANTS = [
  "one",
  "queryScale",
  "queryNorm",
  "queryError",
  "rounding",
  "offset",
  "vectorWeight",
  "mayFrom",
  "sureFrom",
  "pageFrom",
] as const;

type SiftConstant = (typeof SIFT_CONSTANTS)[number];

const END = 0;
const NUMBERS = { at: 1, openAt: 2, sureCount: 3, open: 4 } as const;
const BOUNDS = { scale: 5, closeness: 6, error: 7, cut: 8, rest: 9, least: 10, most: 11 } as const;
const MASKS = { may: 12, sure: 13, closed: 14 } as const;

/**
 * Tells between which values the evidence for each slot lies, four slots a round, and sorts them by it. The parameter
 * is four times the number of slots, rounded up to groups of four; where `allowed` is 0, slots do not count.
 *
 * A group that is told of is its number times 256, a bit for each of its slots that surely counts times 16, and a bit
 * for each that is open.
 */
export function siftSlots(layout: SiftLayout): WasmFunction {
  return {
    parameterCount: 1,
    locals: [...new Array<number>(4).fill(WASM_I32), ...new Array<number>(10).fill(WASM_V128)],
    code: [
      ...wasm.loopWhile([
        ...boundCloseness(layout),
        ...boundEvidence(layout),
        ...sortFour(layout),
        ...[...wasm.get(NUMBERS.at), ...wasm.constant(16), ...wasm.add(), ...wasm.tee(NUMBERS.at)],
        ...[...wasm.get(END), ...wasm.isLess()],
      ]),
      ...[...wasm.constant(0), ...wasm.get(NUMBERS.openAt), ...wasm.storeI32(layout.results)],
      ...[...wasm.constant(0), ...wasm.get(NUMBERS.sureCount), ...wasm.storeI32(layout.results + 4)],
    ],
  };
}

/** A slot without a vector has codes that stand for nothing, and no error. */
function boundCloseness(layout: SiftLayout): number[] {
  const { scale, closeness, error } = BOUNDS;
  return [
    ...[...wasm.get(NUMBERS.at), ...wasm.loadV128(layout.scales), ...wasm.set(scale)],
    ...[...wasm.get(NUMBERS.at), ...wasm.loadV128(layout.dots), ...wasm.toF32x4()],
    ...[...wasm.get(scale), ...wasm.multiplyF32x4()],
    ...[...constant(layout, "queryScale"), ...wasm.multiplyF32x4()],
    ...[...constant(layout, "offset"), ...wasm.addF32x4(), ...wasm.set(closeness)],
    ...[...wasm.get(NUMBERS.at), ...wasm.loadV128(layout.errors)],
    ...[...constant(layout, "queryNorm"), ...wasm.multiplyF32x4()],
    ...[...wasm.get(scale), ...constant(layout, "queryError"), ...wasm.multiplyF32x4(), ...wasm.addF32x4()],
    ...[...constant(layout, "rounding"), ...wasm.addF32x4()],
    ...[...wasm.get(scale), ...wasm.zeroV128(), ...wasm.isNotEqualF32x4(), ...wasm.and(), ...wasm.set(error)],
  ];
}

/** The same formula as `fuseEvidence`, but never below what words alone say. */
function boundEvidence(layout: SiftLayout): number[] {
  const { closeness, error, rest, least, most } = BOUNDS;
  const words = [...wasm.get(NUMBERS.at), ...wasm.loadV128(layout.words)];
  return [
    ...[...constant(layout, "one"), ...words, ...wasm.subtractF32x4(), ...wasm.set(rest)],
    ...[...wasm.get(closeness), ...wasm.get(error), ...wasm.subtractF32x4()],
    ...[...fuse(layout), ...wasm.set(least)],
    ...[...wasm.get(closeness), ...wasm.get(error), ...wasm.addF32x4()],
    ...[...fuse(layout), ...words, ...wasm.mostF32x4(), ...wasm.set(most)],
  ];
}

/** Of the closeness that comes before it, cut to 0..1. */
function fuse(layout: SiftLayout): number[] {
  const { cut, rest } = BOUNDS;
  return [
    ...[...wasm.zeroV128(), ...wasm.mostF32x4(), ...constant(layout, "one"), ...wasm.leastF32x4()],
    ...wasm.set(cut),
    ...constant(layout, "one"),
    ...wasm.get(rest),
    ...constant(layout, "one"),
    ...[...wasm.get(cut), ...constant(layout, "vectorWeight"), ...wasm.multiplyF32x4()],
    ...[...wasm.subtractF32x4(), ...wasm.multiplyF32x4(), ...wasm.subtractF32x4()],
  ];
}

function sortFour(layout: SiftLayout): number[] {
  const { least, most } = BOUNDS;
  const { may, sure, closed } = MASKS;
  const { at, openAt, sureCount, open } = NUMBERS;
  return [
    ...[...wasm.get(at), ...wasm.constant(2), ...wasm.shiftRight()],
    ...[
      ...wasm.load32(layout.allowed),
      ...wasm.bytesToI32x4(),
      ...wasm.zeroV128(),
      ...wasm.isNotEqualI32x4(),
    ],
    ...[...isAtLeast(layout, most, "mayFrom"), ...wasm.and(), ...wasm.set(may)],
    ...[...isAtLeast(layout, least, "sureFrom"), ...wasm.get(may), ...wasm.and(), ...wasm.tee(sure)],
    ...[...isAtLeast(layout, most, "pageFrom"), ...wasm.andNot(), ...wasm.tee(closed)],
    ...[...wasm.bitsI32x4(), ...wasm.bitCount()],
    ...[...wasm.get(sureCount), ...wasm.add(), ...wasm.set(sureCount)],
    ...[...wasm.get(may), ...wasm.get(closed), ...wasm.andNot(), ...wasm.bitsI32x4(), ...wasm.set(open)],
    ...[...wasm.get(openAt), ...wasm.get(at), ...wasm.constant(4), ...wasm.shiftLeft()],
    ...[...wasm.get(sure), ...wasm.bitsI32x4(), ...wasm.constant(4), ...wasm.shiftLeft(), ...wasm.or()],
    ...[...wasm.get(open), ...wasm.or(), ...wasm.storeI32(layout.openGroups)],
    ...[
      ...wasm.get(open),
      ...wasm.constant(0),
      ...wasm.isNotEqual(),
      ...wasm.constant(2),
      ...wasm.shiftLeft(),
    ],
    ...[...wasm.get(openAt), ...wasm.add(), ...wasm.set(openAt)],
  ];
}

function isAtLeast(layout: SiftLayout, local: number, limit: SiftConstant): number[] {
  return [...wasm.get(local), ...constant(layout, limit), ...wasm.isAtLeastF32x4()];
}

function constant(layout: SiftLayout, name: SiftConstant): number[] {
  return [...wasm.constant(0), ...wasm.loadSplat(layout.constants + 4 * SIFT_CONSTANTS.indexOf(name))];
}
