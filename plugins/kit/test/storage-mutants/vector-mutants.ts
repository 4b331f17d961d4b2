import { columnsOf, type Row, type RowSink } from "../../src/index.js";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

/** Looks for the rows of every scope. */
class ReadsOtherScopes extends LinesStorage {
  protected override vectorsOf(_scope: string, rowIds: readonly number[]): Map<number, Float32Array> {
    const found = [...this.rows.keys()].flatMap((scope) => [...super.vectorsOf(scope, rowIds)]);
    return new Map(found);
  }
}

/** Keeps one byte of each component. */
class ReturnsCodes extends LinesStorage {
  protected override vectorsOf(scope: string, rowIds: readonly number[]): Map<number, Float32Array> {
    const found = [...super.vectorsOf(scope, rowIds)];
    return new Map(found.map(([rowId, vector]) => [rowId, vector.map((x) => Math.round(x * 127) / 127)]));
  }
}

/** Returns the rows that were added first, whatever the vector is. */
class ReturnsFirstRows extends LinesStorage {
  protected override nearestTo(
    scope: string,
    _vector: Float32Array,
    count: number,
  ): Map<number, Float32Array> {
    return new Map([...this.vectorsOf(scope, [...this.rowsOf(scope).keys()])].slice(0, count));
  }
}

/** Builds an index at the first search and never changes it. */
class KeepsItsIndex extends LinesStorage {
  readonly #index = new Map<string, Map<number, Float32Array>>();

  protected override nearestTo(scope: string): Map<number, Float32Array> {
    const index = this.#index.get(scope) ?? this.vectorsOf(scope, [...this.rowsOf(scope).keys()]);
    this.#index.set(scope, index);
    return index;
  }
}

/** Counts a vector that is not needed as missing. */
class LeavesVectorsOut extends LinesStorage {
  override async load(scope: string, into: RowSink): Promise<void> {
    const rows = [...this.rowsOf(scope).values()];
    const read = into.reserve(rows.length) ? rows : rows.map((row) => ({ ...row, vector: null }));
    into.take(columnsOf(read, this.place.dimensions));
  }
}

/** Passes the rows of every scope on. */
class PassesOtherScopesOn extends LinesStorage {
  protected override allOf(): Row[][] {
    return [...this.rows.keys()].flatMap((scope) => super.allOf(scope));
  }
}

export const vectorMutants: readonly StorageMutant[] = [
  {
    name: "vectors-of-other-scopes",
    check: "vectors/read",
    failure: /ids of the vectors that read returns of new rows/,
    storage: ReadsOtherScopes,
  },
  {
    name: "vectors-as-codes",
    check: "vectors/read",
    failure: /the vector of row \d+ that read returns/,
    storage: ReturnsCodes,
  },
  {
    name: "nearest-are-the-first",
    check: "vectors/nearest",
    failure: /ids of the three nearest to row 20/,
    storage: ReturnsFirstRows,
  },
  {
    name: "index-of-the-first-search",
    check: "vectors/removed-rows",
    failure: /ids that nearest returns after a purge/,
    storage: KeepsItsIndex,
  },
  {
    name: "unneeded-vectors-missing",
    check: "vectors/unneeded",
    failure: /ids of the rows that have a vector/,
    storage: LeavesVectorsOut,
  },
  {
    name: "all-vectors-of-other-scopes",
    check: "vectors/read-all",
    failure: /rows that readAll passes on of new rows/,
    storage: PassesOtherScopesOn,
  },
];
