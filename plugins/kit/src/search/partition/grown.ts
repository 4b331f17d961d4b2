type GrowableArray =
  | Int8Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** The same values in an array of `length` elements. */
export function grown<T extends GrowableArray>(array: T, length: number): T {
  const Constructor = array.constructor as new (length: number) => T;
  const larger = new Constructor(length);
  larger.set(array as never);
  return larger;
}
