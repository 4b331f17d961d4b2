/**
 * A caller's embedding in its wire form. Other lists of numbers in binary are refused: their bytes would be read
 * as float32.
 */
export function toVector(value: unknown): unknown {
  if (Array.isArray(value)) return Float32Array.from(value as number[]);
  if (ArrayBuffer.isView(value) && !(value instanceof Float32Array)) {
    throw new TypeError("an embedding is a Float32Array or a list of numbers");
  }
  return value;
}
