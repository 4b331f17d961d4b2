/** Codes that the kernel takes at a time: those of a vector are as many as a multiple of this. */
const CODE_BLOCK = 8;

export const CODE_MAX = 127;
/** Errors are kept as float32; this keeps them from being rounded down. */
const ROUNDED_UP = 1 + 2 ** -20;

/** Vectors as one byte a component, slot after slot: a quarter of the memory to look through. */
export interface VectorCodes {
  /** `codeLength` of each slot. */
  readonly codes: Int8Array;
  /** What a code of 1 stands for. */
  readonly scales: Float32Array;
  /** Length of the difference between a vector and what its codes stand for, at most. */
  readonly errors: Float32Array;
}

/** Codes of a vector: its dimensions, up to the next multiple of 8. */
export function codeLengthOf(dimensions: number): number {
  return Math.ceil(dimensions / CODE_BLOCK) * CODE_BLOCK;
}

/** Bytes of a vector and what belongs to it here. */
export function vectorBytesOf(dimensions: number): number {
  return Float32Array.BYTES_PER_ELEMENT * (dimensions + 2) + codeLengthOf(dimensions);
}

/** Writes the codes of a slot's vector, which begins at `slot * dimensions` in `data`. */
export function encodeSlot(into: VectorCodes, slot: number, data: Float32Array, dimensions: number): void {
  const { codes } = into;
  const from = slot * dimensions;
  const to = slot * codeLengthOf(dimensions);
  const scale = Math.fround(largest(data, from, dimensions) / CODE_MAX);
  const perCode = scale > 0 ? 1 / scale : 0;
  let squares = 0;
  for (let index = 0; index < dimensions; index++) {
    const component = data[from + index]!;
    // Rounds to the nearest: adding what makes it positive, a conversion that cuts does that. Math.round takes longer.
    const code = ((component * perCode + (CODE_MAX + 0.5)) | 0) - CODE_MAX;
    const difference = component - code * scale;
    codes[to + index] = code;
    squares += difference * difference;
  }
  into.scales[slot] = scale;
  into.errors[slot] = Math.sqrt(squares) * ROUNDED_UP;
}

/** A query in 16 bits: its own error is far below that of the codes. */
export interface EncodedQuery {
  readonly components: Int16Array;
  /** What a component of 1 stands for. */
  readonly scale: number;
  /** Length of the query. */
  readonly norm: number;
  /** Length of the difference between the query and what its components stand for. */
  readonly error: number;
}

/** @param componentMax of the components written, either way */
export function encodeQuery(query: Float32Array, componentMax: number): EncodedQuery {
  const components = new Int16Array(codeLengthOf(query.length));
  const scale = largest(query, 0, query.length) / componentMax;
  const perStep = scale > 0 ? 1 / scale : 0;
  let squares = 0;
  let errorSquares = 0;
  for (let index = 0; index < query.length; index++) {
    const component = query[index]!;
    components[index] = Math.round(component * perStep);
    squares += component * component;
    errorSquares += (component - components[index]! * scale) ** 2;
  }
  return { components, scale, norm: Math.sqrt(squares), error: Math.sqrt(errorSquares) };
}

function largest(data: Float32Array, from: number, length: number): number {
  let most = 0;
  for (let index = from; index < from + length; index++) most = Math.max(most, Math.abs(data[index]!));
  return most;
}
