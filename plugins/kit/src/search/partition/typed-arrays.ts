type GrowableArray =
  | Int8Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** Arrays below this size get no separate memory pages, because an allocator would keep little. Bytes. */
const OWN_PAGES_BYTES_MIN = 2 ** 18;

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
/** Allocates an array that can be released with `releaseMemory`. */
export function allocateNumbers(count: number): Uint32Array<ArrayBuffer> {
  const size = count * Uint32Array.BYTES_PER_ELEMENT;
  // A resizable buffer has its own memory pages.
  const buffer = new ArrayBuffer(size, size < OWN_PAGES_BYTES_MIN ? undefined : { maxByteLength: size });
  return new Uint32Array(buffer, 0, count);
}

/** Copies packed four-byte numbers into an array that can be released with `releaseMemory`. */
export function copyNumbers(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  const numbers = allocateNumbers(bytes.byteLength / Uint32Array.BYTES_PER_ELEMENT);
  new Uint8Array(numbers.buffer).set(bytes);
  return numbers;
}

/**
 * Returns the memory of a large array to the operating system immediately. Garbage collection may run much
 * later, and an allocator keeps freed memory. 100,000 entries that are queried after a start take 380 MiB of
 * RSS with this, 419 without. The array must not be read afterwards.
 */
export function releaseMemory({ buffer }: Uint32Array<ArrayBuffer>): void {
  if (buffer.resizable) buffer.resize(0);
}
