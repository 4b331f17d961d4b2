import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Row, ScopedRow } from "@membus/plugin-kit";
import type { Schema, Table } from "apache-arrow";
import { toArrowTable } from "./arrow-batch.js";
import type { Column, VectorShape } from "./schema.js";

type Commit = <T>(change: (table: LanceTable) => Promise<T>) => Promise<T>;

/**
 * The columns of a table that hold vectors. A column has vectors of one length: when the host's embedder has others,
 * the column becomes that of the former vectors, and a new one takes its place.
 */
export class VectorColumns {
  readonly #embedder: string | undefined;
  /** Of the host's embedder. */
  readonly #dimensions: number;
  readonly #commit: Commit;
  #shape: VectorShape;
  /** All columns of the table, in its order. */
  #order: readonly string[] | undefined;

  constructor(
    { dimensions, embedder }: { readonly dimensions: number; readonly embedder?: string | undefined },
    shape: VectorShape,
    commit: Commit,
  ) {
    this.#embedder = embedder;
    this.#dimensions = dimensions;
    this.#shape = shape;
    this.#commit = commit;
  }

  get shape(): VectorShape {
    return this.#shape;
  }

  /** Whether the stored vectors are of the host's embedder's dimensions. */
  get isOwn(): boolean {
    return this.#shape.dimensions === this.#dimensions;
  }

  /** Adds what a table lacks that an earlier version wrote, or whose columns were being changed. */
  async complete(present: readonly string[]): Promise<void> {
    for (const column of ["analyzer", "embedder"] as const) {
      if (!present.includes(column)) await this.#addText(column);
    }
    if (this.#shape.dimensions === 0) {
      await this.#addVector("vector", this.#dimensions);
      this.#shape = { ...this.#shape, dimensions: this.#dimensions };
    }
    if (this.#shape.formerDimensions > 0 && !present.includes("former_embedder")) {
      await this.#addText("former_embedder");
    }
  }

  /** The log may hold rows from before the change: their vectors are former ones, where they have other dimensions. */
  place(row: Row): Row {
    const isOurs = this.#embedder === undefined || row.embedder === this.#embedder;
    if (isOurs || row.vector === null || row.vector.length === this.#dimensions) return row;
    return { ...row, embedder: "", vector: null, former: { embedder: row.embedder, vector: row.vector } };
  }

  fits(rows: readonly ScopedRow[]): boolean {
    const former = formerDimensionsOf(rows);
    const bringsVectors = rows.some(({ row }) => row.vector !== null);
    return (this.isOwn || !bringsVectors) && (former === 0 || former === this.#shape.formerDimensions);
  }

  /** Only one former embedder is remembered: that of the rows, or of the table. */
  async makeRoom(rows: readonly ScopedRow[]): Promise<void> {
    const former = formerDimensionsOf(rows);
    if (!this.isOwn) await this.#putAside(former);
    if (former === 0 || former === this.#shape.formerDimensions) return;
    await this.dropFormer();
    await this.#addText("former_embedder");
    await this.#addVector("former_vector", former);
    this.#shape = { ...this.#shape, formerDimensions: former };
  }

  async dropFormer(): Promise<void> {
    if (this.#shape.formerDimensions > 0) await this.#drop(["former_vector", "former_embedder"]);
    this.#shape = { ...this.#shape, formerDimensions: 0 };
  }

  /** Rows for the table as it is; former vectors of a third embedder are left out. */
  async batch(rows: readonly ScopedRow[], schema: () => Promise<Schema>): Promise<Table> {
    this.#order ??= (await schema()).fields.map(({ name }) => name);
    const { formerDimensions } = this.#shape;
    const isForeign = ({ former }: Row): boolean =>
      (former?.vector?.length ?? formerDimensions) !== formerDimensions;
    const fitting = rows.map((scoped) =>
      isForeign(scoped.row) ? { ...scoped, row: { ...scoped.row, former: undefined } } : scoped,
    );
    return toArrowTable(fitting, this.#shape, this.#order);
  }

  /** The shape changes at the end: whoever reads meanwhile misses a column, or finds another, and reads again. */
  async #putAside(wantedFormer: number): Promise<void> {
    const { dimensions, formerDimensions } = this.#shape;
    const keepsFormer = formerDimensions > 0 && formerDimensions === wantedFormer;
    if (keepsFormer) await this.#drop(["vector", "embedder"]);
    else {
      await this.dropFormer();
      await this.#change((table) =>
        table.alterColumns([
          { path: "vector", rename: "former_vector" },
          { path: "embedder", rename: "former_embedder" },
        ]),
      );
    }
    await this.#addText("embedder");
    await this.#addVector("vector", this.#dimensions);
    this.#shape = {
      dimensions: this.#dimensions,
      formerDimensions: keepsFormer ? formerDimensions : dimensions,
    };
  }

  async #addText(column: Column): Promise<void> {
    await this.#change((table) => table.addColumns([{ name: column, valueSql: "''" }]));
  }

  async #addVector(column: "vector" | "former_vector", dimensions: number): Promise<void> {
    const valueSql = `arrow_cast(NULL, 'FixedSizeList(${dimensions}, Float32)')`;
    await this.#change((table) => table.addColumns([{ name: column, valueSql }]));
  }

  async #drop(columns: readonly Column[]): Promise<void> {
    await this.#change((table) => table.dropColumns([...columns]));
  }

  async #change(change: (table: LanceTable) => Promise<unknown>): Promise<void> {
    this.#order = undefined;
    await this.#commit(change);
  }
}

/** Of the first former vector among the rows; 0 for none. */
function formerDimensionsOf(rows: readonly ScopedRow[]): number {
  return rows.find(({ row }) => row.former?.vector != null)?.row.former?.vector?.length ?? 0;
}
