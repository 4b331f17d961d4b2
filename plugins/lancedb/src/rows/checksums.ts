import { crc32 } from "node:zlib";
import { isMemoryError, MemoryError } from "@membus/protocol";
import type { Data, FixedSizeList } from "apache-arrow";
import { KEY_HASH_BYTES } from "./schema.js";

/** Arrow columns that `rowSums` covers. */
export interface SummedColumns {
  readonly count: number;
  readonly keyHash: Data;
  /** Number columns in table order. */
  readonly numbers: readonly Data[];
  /** Group, facets, terms and analyzer. */
  readonly texts: readonly Data[];
  /** Returns the scope of a row. */
  scope(row: number): string;
}

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const DAMAGED = "row_damaged";
const SCRATCH_BYTES = 16 * 1_024;

/**
 * Returns the CRC-32 of each row's loaded columns without the vector, seeded with its scope. Uses one call
 * per row, because a call costs as much as a copy.
 */
export function rowSums({ count, keyHash, numbers, texts, scope }: SummedColumns): Float64Array {
  const sums = new Float64Array(count);
  let scratch = new Uint8Array(SCRATCH_BYTES);
  let floats = new Float64Array(scratch.buffer);
  const seeds = new SeedByText();
  const fixedBytes = numbers.length * NUMBER_BYTES + KEY_HASH_BYTES;
  for (let row = 0; row < count; row++) {
    let end = fixedBytes;
    for (const text of texts) end += text.valueOffsets[row + 1]! - text.valueOffsets[row]!;
    if (end > scratch.length) {
      scratch = new Uint8Array(2 * end - (end % NUMBER_BYTES) * 2);
      floats = new Float64Array(scratch.buffer);
    }
    for (let index = 0; index < numbers.length; index++)
      floats[index] = numbers[index]!.values[row] as number;
    let at = numbers.length * NUMBER_BYTES;
    at = copyTo(scratch, at, keyHash.values as Uint8Array, row * KEY_HASH_BYTES, (row + 1) * KEY_HASH_BYTES);
    for (const { values, valueOffsets } of texts) {
      at = copyTo(scratch, at, values as Uint8Array, valueOffsets[row]!, valueOffsets[row + 1]!);
    }
    sums[row] = crc32(scratch.subarray(0, end), seeds.of(scope(row)));
  }
  return sums;
}

/** Returns the CRC-32 of each body, seeded with the id of its row. */
export function bodySums(bodies: Data, rowIds: Data): Float64Array {
  const { values, valueOffsets, length } = bodies;
  const sums = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    const body = (values as Uint8Array).subarray(valueOffsets[row], valueOffsets[row + 1]);
    sums[row] = crc32(body, (rowIds.values[row] as number) % 2 ** 32);
  }
  return sums;
}

/** A number above every CRC-32. */
const SUMS_END = 2 ** 32;

/**
 * Returns the CRC-32 of each vector, seeded with its embedder. A row without a vector has the seed, and a vector with
 * the seed as its CRC has another number.
 */
export function vectorSums(vectors: Data, embedder: (row: number) => string): Float64Array {
  const components = vectors.children[0]!.values as Float32Array;
  const size = (vectors.type as FixedSizeList).listSize * components.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(components.buffer, components.byteOffset, components.byteLength);
  const sums = new Float64Array(vectors.length);
  const seeds = new SeedByText();
  for (let row = 0; row < vectors.length; row++) {
    const seed = seeds.of(embedder(row));
    const isThere = vectors.nullCount === 0 || vectors.getValid(row);
    const sum = isThere ? crc32(bytes.subarray(row * size, (row + 1) * size), seed) : seed;
    sums[row] = isThere && sum === seed ? SUMS_END : sum;
  }
  return sums;
}

/** Returns a test whether rows have a vector, from the stored sums. */
export function vectorTest(stored: Data, embedder: (row: number) => string): (row: number) => boolean {
  const seeds = new SeedByText();
  return (row) => stored.values[row] !== seeds.of(embedder(row));
}

/** @throws {MemoryError} `runtime_error`, if a row's stored checksum does not match its bytes. */
export function checkSums(found: Float64Array, stored: Data, where: (row: number) => string): void {
  const [wrong] = mismatchedRows(found, stored);
  if (wrong !== undefined) throw damagedRow(where(wrong));
}

/** Returns the rows with a stored checksum that does not match their bytes. */
export function mismatchedRows(found: Float64Array, stored: Data): number[] {
  const rows: number[] = [];
  for (let row = 0; row < found.length; row++) if (found[row] !== stored.values[row]) rows.push(row);
  return rows;
}

export function isDamagedRow(error: unknown): boolean {
  return isMemoryError(error) && error.detail.reason === DAMAGED;
}

/** Returns the error for a damaged row. The row is named only in the cause, for the host's log. */
function damagedRow(where: string): MemoryError {
  const cause = new Error(`the checksum of ${where} does not match`);
  const message = "a stored entry is damaged. The host's log names it";
  return new MemoryError("runtime_error", message, { reason: DAMAGED }, { cause });
}

/** Copies short ranges in a loop, because `set` with a subarray allocates an object, which takes longer. */
function copyTo(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  if (to - from > 64) target.set(source.subarray(from, to), at);
  else for (let index = from; index < to; index++) target[at + index - from] = source[index]!;
  return at + to - from;
}

/** Caches the seed of the last text, because adjacent rows mostly have the same text. */
class SeedByText {
  #text: string | undefined;
  #seed = 0;

  of(text: string): number {
    if (text !== this.#text) {
      this.#text = text;
      this.#seed = crc32(text);
    }
    return this.#seed;
  }
}
