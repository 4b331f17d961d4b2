type GrowableArray =
  | Int8Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** Shared empty arrays. Most partitions are small, and each array takes some hundred bytes. */
export const EMPTY = Object.freeze({
  bytes: new Uint8Array(0),
  codes: new Int8Array(0),
  shorts: new Uint16Array(0),
  numbers: new Uint32Array(0),
  floats: new Float32Array(0),
});

/** Returns a copy of the array with `length` elements. */
export function growArray<T extends GrowableArray>(array: T, length: number): T {
  const Constructor = array.constructor as new (length: number) => T;
  const larger = new Constructor(length);
  larger.set(array as never);
  return larger;
}
