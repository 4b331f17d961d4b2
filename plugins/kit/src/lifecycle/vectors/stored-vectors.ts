import type { Backlog } from "../../journal/index.js";
import type { Row } from "../../row.js";
import { similarity } from "../../search/index.js";
import type { RowColumns, Storage, VectorStorage } from "../../storage.js";

export interface StoredVectorsParts {
  readonly storage: Pick<Storage, "load">;
  readonly vectors: VectorStorage;
  readonly backlog: Pick<Backlog, "ofScope">;
}

/**
 * Vectors of partitions that keep none in RAM: from the rows that wait to be flushed, and from storage. The backlog
 * is always read first, so that a row that is flushed in between is seen.
 */
export class StoredVectors {
  readonly #parts: StoredVectorsParts;

  constructor(parts: StoredVectorsParts) {
    this.#parts = parts;
  }

  /** Returns the vectors of rows of one scope by row id. Rows without one, and deleted rows, are missing. */
  async read(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, Float32Array>> {
    if (rowIds.length === 0) return new Map();
    const found = new Map<number, Float32Array>();
    const wanted = new Set(rowIds);
    for (const { rowId, vector } of this.#waiting(scope)) if (wanted.delete(rowId)) found.set(rowId, vector!);
    if (wanted.size === 0) return found;
    for (const [rowId, vector] of await this.#parts.vectors.read(scope, [...wanted]))
      found.set(rowId, vector);
    return found;
  }

  /** Returns the similarity to `vector` of about `count` near rows of the scope by row id, and of all that wait. */
  async nearest(scope: string, vector: Float32Array, count: number): Promise<Map<number, number>> {
    const similarities = this.#compareWaiting(scope, vector);
    const nearest = await this.#parts.vectors.nearest(scope, vector, count);
    for (const [rowId, found] of nearest) similarities.set(rowId, similarity(vector, found, 0));
    return similarities;
  }

  /** Returns the similarity to `vector` of all rows of the scope by row id. Reads all of them from storage. */
  async all(scope: string, vector: Float32Array): Promise<Map<number, number>> {
    const similarities = this.#compareWaiting(scope, vector);
    const take = (rows: RowColumns) => {
      if (rows.vectors.length !== rows.count * vector.length) return;
      for (let row = 0; row < rows.count; row++) {
        if (!rows.hasVector(row)) continue;
        similarities.set(rows.numbers.rowId[row]!, similarity(vector, rows.vectors, row * vector.length));
      }
    };
    await this.#parts.storage.load(scope, { reserve: () => true, take });
    return similarities;
  }

  #compareWaiting(scope: string, vector: Float32Array): Map<number, number> {
    const waiting = this.#waiting(scope).filter((row) => row.vector!.length === vector.length);
    return new Map(waiting.map((row) => [row.rowId, similarity(vector, row.vector!, 0)]));
  }

  #waiting(scope: string): readonly Row[] {
    return this.#parts.backlog.ofScope(scope).rows.filter((row) => row.vector !== null);
  }
}
