/** Types of WebAssembly values. */
export const WASM_I32 = 0x7f;
export const WASM_V128 = 0x7b;

export interface WasmFunction {
  /** How many parameters it takes, all of them `i32`; it returns nothing. */
  readonly parameterCount: number;
  /** Types of its further locals. */
  readonly locals: readonly number[];
  readonly code: readonly number[];
}

/** What of the engine's own `WebAssembly` is used here; engines need not have it. */
interface WebAssemblyApi {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

const PAGE_BYTES = 65_536;

export type LoadedFunction = (...parameters: number[]) => void;

/** Functions that run on `memory`. */
export interface LoadedFunctions {
  readonly memory: ArrayBuffer;
  readonly run: readonly LoadedFunction[];
}

/** The functions, all on one memory of at least so many bytes; undefined where the engine cannot run them. */
export function loadFunctions(
  definitions: readonly WasmFunction[],
  memoryBytes: number,
): LoadedFunctions | undefined {
  const { WebAssembly: api } = globalThis as { readonly WebAssembly?: WebAssemblyApi };
  if (api === undefined) return undefined;
  try {
    const memory = new api.Memory({ initial: Math.ceil(memoryBytes / PAGE_BYTES) });
    const run = definitions.map((definition) => {
      const { exports } = new api.Instance(new api.Module(moduleBytes(definition)), { m: { m: memory } });
      return exports.f as LoadedFunction;
    });
    return { memory: memory.buffer, run };
  } catch {
    return undefined;
  }
}

/** A module that imports the memory `m.m` and exports the function as `f`. */
function moduleBytes({ parameterCount, locals, code }: WasmFunction): Uint8Array {
  const parameters = Array.from({ length: parameterCount }, () => [WASM_I32]);
  const body = [...list(locals.map((type) => [1, type])), ...code, END];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [0x60, ...list(parameters), 0]),
    ...section(2, [...text("m"), ...text("m"), 2, 0, 1]),
    ...section(3, [0]),
    ...section(7, [...text("f"), 0, 0]),
    ...section(10, [...unsigned(body.length), ...body]),
  ]);
}

/** A section of one item. */
function section(id: number, item: readonly number[]): number[] {
  const content = list([item]);
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): number[] {
  return list([...Buffer.from(name)].map((byte) => [byte]));
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

const END = 0x0b;

/** Instructions, as far as they are used. Loads and stores take an address, to which `offset` is added, and stores a value. */
export const wasm = {
  get: (local: number): number[] => [0x20, ...unsigned(local)],
  set: (local: number): number[] => [0x21, ...unsigned(local)],
  /** Sets and keeps the value. */
  tee: (local: number): number[] => [0x22, ...unsigned(local)],
  /** Up to 63. */
  constant: (value: number): number[] => [0x41, value],
  add: (): number[] => [0x6a],
  or: (): number[] => [0x72],
  shiftLeft: (): number[] => [0x74],
  shiftRight: (): number[] => [0x76],
  bitCount: (): number[] => [0x69],
  isNotEqual: (): number[] => [0x47],
  /** As unsigned numbers. */
  isLess: (): number[] => [0x49],
  storeI32: (offset: number): number[] => [0x36, 2, ...unsigned(offset)],
  /** Does it again while what `body` leaves is not 0. */
  loopWhile: (body: readonly number[]): number[] => [0x03, 0x40, ...body, 0x0d, 0, END],
  zeroV128: (): number[] => simd(0x0c, ...new Array<number>(16).fill(0)),
  loadV128: (offset = 0): number[] => simd(0x00, 4, ...unsigned(offset)),
  /** Four times the same 32 bits. */
  loadSplat: (offset: number): number[] => simd(0x09, 2, ...unsigned(offset)),
  /** 32 bits, and zeros. */
  load32: (offset: number): number[] => simd(0x5c, 2, ...unsigned(offset)),
  /** Eight signed bytes as eight numbers of 16 bits. */
  load8x8: (): number[] => simd(0x01, 0, 0),
  /** The first four bytes as four numbers of 32 bits. */
  bytesToI32x4: (): number[] => [...simd(0x89), ...simd(0xa9)],
  /** Products of eight pairs of 16 bits, each two of them added up: four numbers of 32 bits. */
  dotI16x8: (): number[] => simd(0xba),
  addI32x4: (): number[] => simd(0xae),
  isNotEqualI32x4: (): number[] => simd(0x38),
  laneI32x4: (lane: number): number[] => simd(0x1b, lane),
  /** A bit for each number whose highest bit is set. */
  bitsI32x4: (): number[] => simd(0xa4),
  toF32x4: (): number[] => simd(0xfa),
  addF32x4: (): number[] => simd(0xe4),
  subtractF32x4: (): number[] => simd(0xe5),
  multiplyF32x4: (): number[] => simd(0xe6),
  leastF32x4: (): number[] => simd(0xe8),
  mostF32x4: (): number[] => simd(0xe9),
  isNotEqualF32x4: (): number[] => simd(0x42),
  isAtLeastF32x4: (): number[] => simd(0x46),
  and: (): number[] => simd(0x4e),
  /** The first, without what the second has. */
  andNot: (): number[] => simd(0x4f),
} as const;

function simd(operation: number, ...immediates: readonly number[]): number[] {
  return [0xfd, ...unsigned(operation), ...immediates];
}
