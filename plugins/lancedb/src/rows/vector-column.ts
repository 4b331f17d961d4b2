import { crc32 } from "node:zlib";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Row, ScopedRow } from "@membus/plugin-kit";
import type { Schema, Table } from "apache-arrow";
import { toArrowTable } from "./arrow-batch.js";
import type { Column } from "./schema.js";

type Commit = <T>(change: (table: LanceTable) => Promise<T>) => Promise<T>;

/**
 * Embedder name of rows with dropped vectors. It matches no embedder, so they are always embedded
 * again.
 */
const DROPPED = "(dropped)";

/**
 * Vector column of a table. All vectors have one length. When the host's embedder has another length, a new
 * column replaces it with the first new vector.
 */
export class VectorColumn {
  readonly #embedder: string | undefined;
  /** Dimensions of the host's embedder. */
  readonly #targetDimensions: number;
  readonly #commit: Commit;
  /** All columns of the table, in order. */
  #order: readonly string[] | undefined;
  #dimensions: number;

  /** @param dimensions dimensions of the stored vectors, 0 for a table without the column. */
  constructor(
    host: { readonly dimensions: number; readonly embedder?: string | undefined },
    dimensions: number,
    commit: Commit,
  ) {
    this.#embedder = host.embedder;
    this.#targetDimensions = host.dimensions;
    this.#dimensions = dimensions;
    this.#commit = commit;
  }

  /** Dimensions of the stored vectors. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** Whether the stored vectors have the dimensions of the host's embedder. */
  get hasHostDimensions(): boolean {
    return this.#dimensions === this.#targetDimensions;
  }

  /** Adds the columns that are missing after a crash during their replacement. */
  async complete(present: readonly string[]): Promise<void> {
    if (!present.includes("embedder")) await this.#addEmbedder();
    if (this.#dimensions === 0) await this.#addVector();
  }

  /**
   * Returns a row that fits the column. The log may contain rows from before a change. Their vectors have
   * other dimensions and are dropped.
   */
  place(row: Row): Row {
    const isFromHost = this.#embedder === undefined || row.embedder === this.#embedder;
    if (isFromHost || row.vector === null || row.vector.length === this.#keptDimensions) return row;
    return { ...row, embedder: DROPPED, vector: null };
  }

  /** Returns whether placed rows fit the present column. */
  fits(rows: readonly ScopedRow[]): boolean {
    return this.#dimensions === this.#keptDimensions || rows.every(({ row }) => row.vector === null);
  }

  /**
   * Replaces the column. The dimensions change last, so that a concurrent read misses a column or finds other
   * dimensions, and reads again.
   */
  async replace(): Promise<void> {
    const columns: Column[] = ["vector", "embedder", "vector_sum"];
    await this.#change((table) => table.dropColumns(columns));
    await this.#addEmbedder();
    await this.#addVector();
  }

  /** Converts rows for the present table. */
  async batch(rows: readonly ScopedRow[], schema: () => Promise<Schema>): Promise<Table> {
    this.#order ??= (await schema()).fields.map(({ name }) => name);
    return toArrowTable(rows, this.#dimensions, this.#order);
  }

  /** Dimensions of vectors that are kept. A host without an embedder keeps the stored dimensions. */
  get #keptDimensions(): number {
    return this.#embedder === "" ? this.#dimensions : this.#targetDimensions;
  }

  async #addEmbedder(): Promise<void> {
    const sum = `CAST(${crc32(DROPPED)} AS DOUBLE)`;
    await this.#change((table) =>
      table.addColumns([
        { name: "embedder", valueSql: `'${DROPPED}'` },
        { name: "vector_sum", valueSql: sum },
      ]),
    );
  }

  async #addVector(): Promise<void> {
    const valueSql = `arrow_cast(NULL, 'FixedSizeList(${this.#targetDimensions}, Float32)')`;
    await this.#change((table) => table.addColumns([{ name: "vector", valueSql }]));
    this.#dimensions = this.#targetDimensions;
  }

  async #change(change: (table: LanceTable) => Promise<unknown>): Promise<void> {
    this.#order = undefined;
    await this.#commit(change);
  }
}
