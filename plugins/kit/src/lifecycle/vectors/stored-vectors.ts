import pLimit from "p-limit";
import type { Backlog } from "../../journal/index.js";
import type { Row } from "../../row.js";
import { similarity } from "../../search/index.js";
import type { VectorStorage } from "../../storage.js";
import { RowSimilarities } from "./row-similarities.js";

export interface StoredVectorsParts {
  readonly vectors: VectorStorage;
  readonly backlog: Pick<Backlog, "ofScope">;
}

/**
 * Vectors of partitions that keep none in RAM: from the rows that wait to be flushed, and from storage. The backlog
 * is always read first, so that a row that is flushed in between is seen.
 */
export class StoredVectors {
  readonly #parts: StoredVectorsParts;
  readonly #turns = pLimit(1);

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

  /**
   * Returns the similarity to `vector` of all rows of the scope. Reads all vectors from storage, of one scope at a
   * time, because many similarities take much memory.
   */
  all(scope: string, vector: Float32Array): Promise<RowSimilarities> {
    return this.#turns(async () => {
      const similarities = new RowSimilarities();
      for (const [rowId, value] of this.#compareWaiting(scope, vector)) similarities.set(rowId, value);
      await this.#parts.vectors.readAll(scope, ({ rowIds, vectors, hasVector }) => {
        if (vectors.length !== rowIds.length * vector.length) return;
        for (let row = 0; row < rowIds.length; row++)
          if (hasVector(row))
            similarities.add(rowIds[row]!, similarity(vector, vectors, row * vector.length));
      });
      return similarities;
    });
  }

  #compareWaiting(scope: string, vector: Float32Array): Map<number, number> {
    const waiting = this.#waiting(scope).filter((row) => row.vector!.length === vector.length);
    return new Map(waiting.map((row) => [row.rowId, similarity(vector, row.vector!, 0)]));
  }

  #waiting(scope: string): readonly Row[] {
    return this.#parts.backlog.ofScope(scope).rows.filter((row) => row.vector !== null);
  }
}
