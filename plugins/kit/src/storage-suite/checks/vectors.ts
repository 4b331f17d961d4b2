import { scopeId } from "@membus/protocol";
import type { Row } from "../../row.js";
import type { RowColumns, Storage, VectorStorage } from "../../storage.js";
import { expectEqual, expectMembers, NotApplicableError } from "../expectation.js";
import type { StorageCheck } from "../storage-check.js";
import { DIMENSIONS, makeRow, ownScope, scoped } from "../test-rows.js";

const ALICE = ownScope("alice");
const BOB = ownScope("bob");
const ALICE_ID = scopeId(ALICE);
/** Row without a vector. */
const WITHOUT = 7;
const ROW_COUNT = 40;
/** More rows than a storage reads at once. */
const MANY = 9_000;

/** Returns a unit vector. Neighbouring numbers have the most similar ones. */
function vectorOf(number: number): Float32Array {
  const angle = (number * Math.PI) / 100;
  return Float32Array.from({ length: DIMENSIONS }, (_, index) =>
    index === 0 ? Math.cos(angle) : index === 1 ? Math.sin(angle) : 0,
  );
}

const rowOf = (rowId: number): Row => makeRow(rowId, { vector: rowId === WITHOUT ? null : vectorOf(rowId) });
const rowsFrom = (first: number) => Array.from({ length: ROW_COUNT }, (_, index) => rowOf(first + index));
const idsWithVector = rowsFrom(1).flatMap(({ rowId, vector }) => (vector === null ? [] : [rowId]));

function searchOf({ vectors }: Storage): VectorStorage {
  if (vectors === undefined) throw new NotApplicableError("it has no `vectors`, so all must fit into RAM");
  return vectors;
}

/** Runs `expectRows` on a storage with rows of two agents: new, reopened, and after maintenance. */
async function throughLife(
  bench: Parameters<StorageCheck["run"]>[0],
  expectRows: (vectors: VectorStorage, when: string) => Promise<void>,
): Promise<void> {
  const directory = await bench.directory();
  let storage = await bench.open(directory);
  searchOf(storage);
  await storage.append([...scoped(ALICE, rowsFrom(1)), ...scoped(BOB, rowsFrom(ROW_COUNT + 1))]);
  await expectRows(searchOf(storage), "of new rows");
  await storage.sync();
  storage = await bench.reopen(storage, directory);
  await expectRows(searchOf(storage), "after reopening");
  await storage.maintain({ purge: true });
  await expectRows(searchOf(storage), "after a purge");
}

const read: StorageCheck = {
  id: "vectors/read",
  rule: "`vectors.read` returns the vectors of present rows of the scope, byte for byte, and nothing for others.",
  run: (bench) =>
    throughLife(bench, async (vectors, when) => {
      const wanted = [...rowsFrom(1), ...rowsFrom(ROW_COUNT + 1)].map(({ rowId }) => rowId);
      const found = await vectors.read(ALICE_ID, wanted);
      expectMembers([...found.keys()], idsWithVector, `ids of the vectors that read returns ${when}`);
      for (const [rowId, vector] of found)
        expectEqual(vector, vectorOf(rowId), `the vector of row ${rowId} that read returns ${when}`);
    }),
};

const readAll: StorageCheck = {
  id: "vectors/read-all",
  rule: "`vectors.readAll` passes each row of the scope once, with its vector, byte for byte, if it has one.",
  run: (bench) =>
    throughLife(bench, async (vectors, when) => {
      const found: { rowId: number; vector: Float32Array | null }[] = [];
      await vectors.readAll(ALICE_ID, ({ rowIds, vectors, hasVector }) => {
        for (const [row, rowId] of rowIds.entries()) {
          const vector = vectors.slice(row * DIMENSIONS, (row + 1) * DIMENSIONS);
          found.push({ rowId, vector: hasVector(row) ? vector : null });
        }
      });
      const expected = rowsFrom(1).map(({ rowId, vector }) => ({ rowId, vector }));
      const sorted = found.toSorted((a, b) => a.rowId - b.rowId);
      expectEqual(sorted, expected, `rows that readAll passes on ${when}`);
    }),
};

const nearest: StorageCheck = {
  id: "vectors/nearest",
  rule: "`vectors.nearest` returns near rows of the scope with their vectors, and all rows if it may return as many.",
  run: (bench) =>
    throughLife(bench, async (vectors, when) => {
      const all = await vectors.nearest(ALICE_ID, vectorOf(1), 4 * ROW_COUNT);
      expectMembers([...all.keys()], idsWithVector, `ids that nearest returns ${when}`);
      for (const [rowId, vector] of all)
        expectEqual(vector, vectorOf(rowId), `the vector of row ${rowId} that nearest returns ${when}`);
      const few = await vectors.nearest(ALICE_ID, vectorOf(20), 3);
      expectMembers([...few.keys()], [19, 20, 21], `ids of the three nearest to row 20 ${when}`);
    }),
};

const removed: StorageCheck = {
  id: "vectors/removed-rows",
  rule: "After a purge no vector of a removed row is returned, and every other one is.",
  async run(bench) {
    const directory = await bench.directory();
    const storage = await bench.open(directory);
    const vectors = searchOf(storage);
    await storage.append(scoped(ALICE, rowsFrom(1)));
    await vectors.nearest(ALICE_ID, vectorOf(1), 5);
    await storage.remove([1, 2, 3].map((rowId) => ({ scope: ALICE_ID, rowId })));
    await storage.sync();
    await storage.maintain({ purge: true });
    const left = idsWithVector.filter((rowId) => rowId > 3);
    const found = await vectors.nearest(ALICE_ID, vectorOf(1), 4 * ROW_COUNT);
    expectMembers([...found.keys()], left, "ids that nearest returns after a purge");
    const read = await vectors.read(ALICE_ID, [1, 2, 3, 4]);
    expectMembers([...read.keys()], [4], "ids of the vectors that read returns after a purge");
  },
};

const unneeded: StorageCheck = {
  id: "vectors/unneeded",
  rule: "`load` says which rows have a vector, also if `reserve` returns that none is needed.",
  async run(bench) {
    const directory = await bench.directory();
    const storage = await bench.open(directory);
    searchOf(storage);
    const rows = Array.from({ length: MANY }, (_, index) =>
      makeRow(index + 1, { vector: index % WITHOUT === 0 ? null : vectorOf(index) }),
    );
    await storage.append(scoped(ALICE, rows));
    const found: number[] = [];
    const take = ({ count, numbers, hasVector }: RowColumns) => {
      for (let row = 0; row < count; row++) if (hasVector(row)) found.push(numbers.rowId[row]!);
    };
    await storage.load(ALICE_ID, { reserve: () => false, take });
    const expected = rows.flatMap(({ rowId, vector }) => (vector === null ? [] : [rowId]));
    expectEqual(
      found.toSorted((a, b) => a - b),
      expected,
      "ids of the rows that have a vector",
    );
  },
};

export const vectorChecks = [read, readAll, nearest, removed, unneeded];
