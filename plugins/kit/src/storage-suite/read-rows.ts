import { NUMBER_FIELDS, type Row, type RowNumbers } from "../row.js";
import type { RowColumns, Storage } from "../storage.js";
import { expectEqual, expectTrue } from "./expectation.js";
import { DIMENSIONS } from "./test-rows.js";

/** A row as loaded from a storage: terms and vectors as in memory, and the size of the body. */
interface LoadedRow extends Omit<Row, "body" | "terms"> {
  readonly bodyBytes: number;
  readonly terms: Uint32Array;
}

/** Returns every row of a scope that `load` passes on, sorted by id, duplicates included. */
export async function loadRows(storage: Storage, scope: string): Promise<LoadedRow[]> {
  const rows: LoadedRow[] = [];
  let isReserved = false;
  await storage.load(scope, {
    reserve: () => {
      isReserved = true;
      return true;
    },
    take: (columns) => {
      expectTrue(isReserved, "load", "`reserve` before the first `take`", "`take` first");
      rows.push(...rowsOf(columns));
    },
  });
  return rows.sort((a, b) => a.rowId - b.rowId);
}

export async function loadIds(storage: Storage, scope: string): Promise<number[]> {
  return (await loadRows(storage, scope)).map(({ rowId }) => rowId);
}

function rowsOf(columns: RowColumns): LoadedRow[] {
  const { count, termBytes, termOffsets, vectors, keyHashes } = columns;
  expectEqual(vectors.length, count * DIMENSIONS, "numbers in `vectors` that `load` passes on");
  const terms = new Uint32Array(new Uint8Array(termBytes).buffer);
  return Array.from({ length: count }, (_, index) => ({
    ...numbersOf(columns, index),
    keyHash: Buffer.from(keyHashes.subarray(index * 32, index * 32 + 32)).toString("hex"),
    group: columns.group(index),
    facets: columns.facets.at(index),
    bodyBytes: columns.bodyBytes[index]!,
    terms: terms.slice(termOffsets[index], termOffsets[index + 1]),
    analyzer: columns.analyzer(index),
    embedder: columns.embedder(index),
    vector: columns.hasVector(index) ? vectors.slice(index * DIMENSIONS, (index + 1) * DIMENSIONS) : null,
  }));
}

function numbersOf({ numbers }: RowColumns, index: number): RowNumbers {
  return Object.fromEntries(NUMBER_FIELDS.map((field) => [field, numbers[field][index]])) as RowNumbers;
}

/** Expects a loaded row unchanged, except for its body. */
export function expectRow(loaded: LoadedRow, row: Row, where: string): void {
  const expected = asLoaded(row);
  for (const field of Object.keys(expected) as (keyof LoadedRow)[]) {
    expectEqual(loaded[field], expected[field], `${field} of row ${row.rowId} that load returns ${where}`);
  }
}

/** Returns the expected loaded row. A vector with another length need not be kept. */
function asLoaded({ body, terms, vector, ...row }: Row): LoadedRow {
  return {
    ...row,
    bodyBytes: Buffer.byteLength(body),
    terms: terms ?? new Uint32Array(0),
    vector: vector?.length === DIMENSIONS ? vector : null,
  };
}
