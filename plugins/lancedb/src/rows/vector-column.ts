import { crc32 } from "node:zlib";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Row, ScopedRow } from "@membus/plugin-kit";
import type { Schema, Table } from "apache-arrow";
import { toArrowTable } from "./arrow-batch.js";
import type { Column } from "./schema.js";

type Commit = <T>(change: (table: LanceTable) => Promise<T>) => Promise<T>;

/** Names the embedder of rows whose vectors were dropped: none, so that they are embedded anew whatever comes. */
const DROPPED = "(dropped)";

/**
 * The column of a table that holds vectors, all of one length: when the host's embedder has others, a new column takes
 * its place with the first of them.
 */
export class VectorColumn {
  readonly #embedder: string | undefined;
  /** Of the host's embedder. */
  readonly #wanted: number;
  readonly #commit: Commit;
  /** All columns of the table, in its order. */
  #order: readonly string[] | undefined;
  #dimensions: number;

  /** `dimensions` are those of the stored vectors, 0 for a table without the column. */
  constructor(
    host: { readonly dimensions: number; readonly embedder?: string | undefined },
    dimensions: number,
    commit: Commit,
  ) {
    this.#embedder = host.embedder;
    this.#wanted = host.dimensions;
    this.#dimensions = dimensions;
    this.#commit = commit;
  }

  /** Of the stored vectors. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** Whether the stored vectors are of the host's embedder's dimensions. */
  get isOwn(): boolean {
    return this.#dimensions === this.#wanted;
  }

  /** Adds the columns that a crash left out when they were being replaced. */
  async complete(present: readonly string[]): Promise<void> {
    if (!present.includes("embedder")) await this.#addEmbedder();
    if (this.#dimensions === 0) await this.#addVector();
  }

  /** The log may hold rows from before a change, whose vectors have other dimensions: they go. */
  place(row: Row): Row {
    const isOurs = this.#embedder === undefined || row.embedder === this.#embedder;
    if (isOurs || row.vector === null || row.vector.length === this.#kept) return row;
    return { ...row, embedder: DROPPED, vector: null };
  }

  /** Whether placed rows need no other column. */
  fits(rows: readonly ScopedRow[]): boolean {
    return this.#dimensions === this.#kept || rows.every(({ row }) => row.vector === null);
  }

  /** The dimensions change at the end: whoever reads meanwhile misses a column, or finds another, and reads again. */
  async replace(): Promise<void> {
    const columns: Column[] = ["vector", "embedder", "vector_sum"];
    await this.#change((table) => table.dropColumns(columns));
    await this.#addEmbedder();
    await this.#addVector();
  }

  /** Rows for the table as it is. */
  async batch(rows: readonly ScopedRow[], schema: () => Promise<Schema>): Promise<Table> {
    this.#order ??= (await schema()).fields.map(({ name }) => name);
    return toArrowTable(rows, this.#dimensions, this.#order);
  }

  /** Dimensions that vectors keep their place with: a host without an embedder brings none of its own. */
  get #kept(): number {
    return this.#embedder === "" ? this.#dimensions : this.#wanted;
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
    const valueSql = `arrow_cast(NULL, 'FixedSizeList(${this.#wanted}, Float32)')`;
    await this.#change((table) => table.addColumns([{ name: "vector", valueSql }]));
    this.#dimensions = this.#wanted;
  }

  async #change(change: (table: LanceTable) => Promise<unknown>): Promise<void> {
    this.#order = undefined;
    await this.#commit(change);
  }
}
