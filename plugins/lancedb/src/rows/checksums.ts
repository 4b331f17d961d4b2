import { crc32 } from "node:zlib";
import { isMemoryError, MemoryError } from "@membus/protocol";
import type { Data, FixedSizeList } from "apache-arrow";
import { KEY_HASH_BYTES } from "./schema.js";

/** Columns of rows, as Arrow has them, that `rowSums` are of. */
export interface SummedColumns {
  readonly count: number;
  readonly keyHash: Data;
  /** In the order of the table. */
  readonly numbers: readonly Data[];
  /** Group, facets, terms and analyzer. */
  readonly texts: readonly Data[];
  /** Of the row. */
  scope(row: number): string;
}

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const DAMAGED = "row_damaged";
const SCRATCH_BYTES = 16 * 1_024;

/** CRC-32 of what a load reads of each row but the vector, begun with its scope. One call a row: each costs a copy's time. */
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

/** CRC-32 of each body, begun with the id of its row. */
export function bodySums(bodies: Data, rowIds: Data): Float64Array {
  const { values, valueOffsets, length } = bodies;
  const sums = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    const body = (values as Uint8Array).subarray(valueOffsets[row], valueOffsets[row + 1]);
    sums[row] = crc32(body, (rowIds.values[row] as number) % 2 ** 32);
  }
  return sums;
}

/** CRC-32 of each vector, begun with its embedder; a row without one has the embedder's alone. */
export function vectorSums(vectors: Data, embedder: (row: number) => string): Float64Array {
  const components = vectors.children[0]!.values as Float32Array;
  const size = (vectors.type as FixedSizeList).listSize * components.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(components.buffer, components.byteOffset, components.byteLength);
  const sums = new Float64Array(vectors.length);
  const seeds = new SeedByText();
  for (let row = 0; row < vectors.length; row++) {
    const seed = seeds.of(embedder(row));
    const isThere = vectors.nullCount === 0 || vectors.getValid(row);
    sums[row] = isThere ? crc32(bytes.subarray(row * size, (row + 1) * size), seed) : seed;
  }
  return sums;
}

/** @throws {MemoryError} `runtime_error` where a row's stored checksum is not what its bytes have. */
export function checkSums(found: Float64Array, stored: Data, where: (row: number) => string): void {
  const [wrong] = wrongRows(found, stored);
  if (wrong !== undefined) throw damagedRow(where(wrong));
}

/** Rows whose stored checksum is not what their bytes have. */
export function wrongRows(found: Float64Array, stored: Data): number[] {
  const rows: number[] = [];
  for (let row = 0; row < found.length; row++) if (found[row] !== stored.values[row]) rows.push(row);
  return rows;
}

export function isDamagedRow(error: unknown): boolean {
  return isMemoryError(error) && error.detail.reason === DAMAGED;
}

/** Which row it is, is the cause: for the host's log, not for clients. */
function damagedRow(where: string): MemoryError {
  const cause = new Error(`the checksum of ${where} is another one`);
  const message = "an entry that is stored here is damaged";
  return new MemoryError("runtime_error", message, { reason: DAMAGED }, { cause });
}

/** A `set` of a part makes an object of it first, which takes longer than a short copy. */
function copyTo(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  if (to - from > 64) target.set(source.subarray(from, to), at);
  else for (let index = from; index < to; index++) target[at + index - from] = source[index]!;
  return at + to - from;
}

/** Rows that follow each other mostly have the same text. */
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
