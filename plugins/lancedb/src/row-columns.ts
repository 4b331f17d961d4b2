import { setImmediate as nextTurn } from "node:timers/promises";
import type { RowColumns } from "@membus/plugin-kit";
import type { Data, RecordBatch } from "apache-arrow";
import { type Column, KEY_HASH_BYTES, type NumberColumn } from "./schema.js";
import { TextColumn } from "./text-column.js";

/** Batches copied before other work gets its turn: about 4,000 rows, a few milliseconds. */
const BATCHES_A_TURN = 4;

/** `dimensions` are those of the vectors among the columns; 0 when vectors were not read. */
export async function toRowColumns(batches: readonly RecordBatch[], dimensions: number): Promise<RowColumns> {
  const columns = new LoadedColumns(batches, dimensions);
  for (let index = 0; index < batches.length; index++) {
    if (index % BATCHES_A_TURN === BATCHES_A_TURN - 1) await nextTurn();
    columns.copy(batches[index]!);
  }
  return columns;
}

/** One typed array a field, filled batch by batch, so that LanceDB's own buffers can go. */
class LoadedColumns implements RowColumns {
  readonly rowIds: Float64Array;
  readonly keyHashes: Uint8Array;
  readonly revisions: Float64Array;
  readonly seqs: Float64Array;
  readonly created: Float64Array;
  readonly updated: Float64Array;
  readonly occurredAt: Float64Array;
  readonly expiresAt: Float64Array;
  readonly importances: Float64Array;
  readonly vectors: Float32Array;
  readonly #numbers: readonly (readonly [NumberColumn, Float64Array])[];
  readonly #hasVector: Uint8Array;
  readonly #groups: TextColumn;
  readonly #facets: TextColumn;
  readonly #embedders: TextColumn;
  readonly #terms: Uint32Array;
  readonly #termOffsets: Float64Array;
  readonly #dimensions: number;
  #copied = 0;

  constructor(batches: readonly RecordBatch[], dimensions: number) {
    const count = batches.reduce((sum, batch) => sum + batch.numRows, 0);
    const sizeOf = (column: Column) =>
      batches.reduce((sum, batch) => sum + byteSize(dataOf(batch, column)), 0);
    this.#dimensions = dimensions;
    this.rowIds = new Float64Array(count);
    this.keyHashes = new Uint8Array(count * KEY_HASH_BYTES);
    this.revisions = new Float64Array(count);
    this.seqs = new Float64Array(count);
    this.created = new Float64Array(count);
    this.updated = new Float64Array(count);
    this.occurredAt = new Float64Array(count);
    this.expiresAt = new Float64Array(count);
    this.importances = new Float64Array(count);
    this.vectors = new Float32Array(count * dimensions);
    this.#hasVector = new Uint8Array(count);
    this.#groups = new TextColumn(count, sizeOf("group"));
    this.#facets = new TextColumn(count, sizeOf("facets"));
    this.#embedders = new TextColumn(count, sizeOf("embedder"));
    this.#terms = new Uint32Array(sizeOf("terms") / Uint32Array.BYTES_PER_ELEMENT);
    this.#termOffsets = new Float64Array(count + 1);
    this.#numbers = [
      ["row_id", this.rowIds],
      ["revision", this.revisions],
      ["seq", this.seqs],
      ["created", this.created],
      ["updated", this.updated],
      ["occurred_at", this.occurredAt],
      ["expires_at", this.expiresAt],
      ["importance", this.importances],
    ];
  }

  get count(): number {
    return this.rowIds.length;
  }

  group(index: number): string {
    return this.#groups.at(index);
  }

  facets(index: number): string {
    return this.#facets.at(index);
  }

  terms(index: number): Uint32Array {
    return this.#terms.subarray(this.#termOffsets[index]!, this.#termOffsets[index + 1]!);
  }

  embedder(index: number): string {
    return this.#embedders.at(index);
  }

  hasVector(index: number): boolean {
    return this.#hasVector[index] === 1;
  }

  copy(batch: RecordBatch): void {
    const from = this.#copied;
    const rows = batch.numRows;
    for (const [name, target] of this.#numbers)
      target.set(dataOf(batch, name).values.subarray(0, rows), from);
    const hashes = dataOf(batch, "key_hash").values as Uint8Array;
    this.keyHashes.set(hashes.subarray(0, rows * KEY_HASH_BYTES), from * KEY_HASH_BYTES);
    this.#groups.copy(from, dataOf(batch, "group"));
    this.#facets.copy(from, dataOf(batch, "facets"));
    this.#embedders.copy(from, dataOf(batch, "embedder"));
    this.#copyTerms(from, dataOf(batch, "terms"));
    if (this.#dimensions > 0) this.#copyVectors(from, dataOf(batch, "vector"));
    this.#copied += rows;
  }

  #copyTerms(from: number, data: Data): void {
    const first = data.valueOffsets[0]!;
    const size = byteSize(data);
    const before = this.#termOffsets[from]!;
    const bytes = new Uint8Array(this.#terms.buffer, before * Uint32Array.BYTES_PER_ELEMENT, size);
    bytes.set((data.values as Uint8Array).subarray(first, first + size));
    for (let row = 0; row < data.length; row++) {
      const end = (data.valueOffsets[row + 1]! - first) / Uint32Array.BYTES_PER_ELEMENT;
      this.#termOffsets[from + row + 1] = before + end;
    }
  }

  #copyVectors(from: number, data: Data): void {
    const values = data.children[0]!.values as Float32Array;
    const size = this.#dimensions;
    if (data.nullCount === 0) {
      this.vectors.set(values.subarray(0, data.length * size), from * size);
      this.#hasVector.fill(1, from, from + data.length);
      return;
    }
    for (let row = 0; row < data.length; row++) {
      if (!data.getValid(row)) continue;
      this.vectors.set(values.subarray(row * size, (row + 1) * size), (from + row) * size);
      this.#hasVector[from + row] = 1;
    }
  }
}

function dataOf(batch: RecordBatch, column: Column): Data {
  return batch.getChild(column)!.data[0]!;
}

/** Bytes of all values of a column of texts or binaries. */
function byteSize(data: Data): number {
  return data.valueOffsets[data.length]! - data.valueOffsets[0]!;
}
