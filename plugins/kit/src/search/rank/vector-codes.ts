/** Codes that the kernel processes at a time. The code length of a vector is a multiple of this. */
const CODE_BLOCK = 8;

export const CODE_MAX = 127;
/** Factor that keeps errors from being rounded down to a smaller float32. */
const ROUNDED_UP = 1 + 2 ** -20;

/** Vectors with one byte per component, slot after slot: a quarter of the memory to scan. */
export interface VectorCodes {
  /** `codeLength` codes of each slot. */
  readonly codes: Int8Array;
  /** Value of a code of 1. */
  readonly scales: Float32Array;
  /** Upper bound of the distance between a vector and its decoded codes. */
  readonly errors: Float32Array;
}

/** Returns the code length of a vector: its dimensions rounded up to a multiple of 8. */
export function codeLengthOf(dimensions: number): number {
  return Math.ceil(dimensions / CODE_BLOCK) * CODE_BLOCK;
}

/** Returns the bytes of a vector with its codes. */
export function vectorBytesOf(dimensions: number): number {
  return Float32Array.BYTES_PER_ELEMENT * (dimensions + 2) + codeLengthOf(dimensions);
}

/** Writes the codes of a slot's vector, which starts at `slot * dimensions` in `data`. */
export function encodeSlot(into: VectorCodes, slot: number, data: Float32Array, dimensions: number): void {
  const { codes } = into;
  const from = slot * dimensions;
  const to = slot * codeLengthOf(dimensions);
  const scale = Math.fround(largest(data, from, dimensions) / CODE_MAX);
  const perCode = scale > 0 ? 1 / scale : 0;
  let squares = 0;
  for (let index = 0; index < dimensions; index++) {
    const component = data[from + index]!;
    // Rounds to the nearest: the addition makes the value positive, then the conversion truncates. Math.round
    // is slower.
    const code = ((component * perCode + (CODE_MAX + 0.5)) | 0) - CODE_MAX;
    const difference = component - code * scale;
    codes[to + index] = code;
    squares += difference * difference;
  }
  into.scales[slot] = scale;
  into.errors[slot] = Math.sqrt(squares) * ROUNDED_UP;
}

/** A query in 16-bit components. Its error is far below the error of the codes. */
export interface EncodedQuery {
  readonly components: Int16Array;
  /** Value of a component of 1. */
  readonly scale: number;
  /** Length of the query. */
  readonly norm: number;
  /** Distance between the query and its decoded components. */
  readonly error: number;
}

/** @param componentMax largest absolute value of the encoded components */
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
