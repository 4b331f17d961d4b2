import { scopeId } from "@membus/protocol";
import type { Storage } from "../../storage.js";
import { expectEqual, expectMembers, expectTrue } from "../expectation.js";
import { ExpectedRows } from "../expected-rows.js";
import { loadRows } from "../read-rows.js";
import type { StorageCheck } from "../storage-check.js";
import { makeRow, makeRows, ownScope, scoped } from "../test-rows.js";

const ALICE = ownScope("alice");
const BOB = ownScope("bob");
const ROUNDS = 8;
const STABLE_ROWS = 120;
/** Rows per round that are added and removed next to the stable ones. */
const ROUND_ROWS = 40;

/** Appends and removes rows, round after round. */
async function write(storage: Storage, expectedRows: ExpectedRows): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    const first = round * 1_000;
    await expectedRows.append(storage, [
      ...scoped(ALICE, makeRows(first, ROUND_ROWS)),
      ...scoped(BOB, [makeRow(first + 999)]),
    ]);
    const evenIds = expectedRows
      .idsOf(scopeId(ALICE))
      .filter((rowId) => rowId > STABLE_ROWS && rowId % 2 === 0);
    await expectedRows.remove(storage, ALICE, evenIds);
    await expectedRows.removeFrom(storage, first + ROUND_ROWS / 2, [ALICE]);
    await storage.sync();
  }
}

/** Calls `task` repeatedly until `work` has ended. */
async function repeatDuring(work: Promise<unknown>, task: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = work.finally(() => {
    isOver = true;
  });
  // A failure of `work` is thrown below.
  end.catch(() => undefined);
  try {
    do {
      await task();
      await new Promise(setImmediate);
    } while (!isOver);
  } finally {
    await end;
  }
}

/** Expects each stable row once and complete during writes, and every other row at most once and complete. */
async function readOnce(storage: Storage): Promise<void> {
  const rows = await loadRows(storage, scopeId(ALICE));
  const ids = rows.map(({ rowId }) => rowId);
  const stable = Array.from({ length: STABLE_ROWS }, (_, index) => index + 1);
  expectMembers(
    ids.filter((rowId) => rowId <= STABLE_ROWS),
    stable,
    "stable rows, loaded during writes",
  );
  expectEqual(ids.length, new Set(ids).size, "number of rows loaded during writes, and of distinct ones");
  for (const { rowId, facets } of rows)
    expectEqual(facets, makeRow(rowId).facets, `facets of row ${rowId} during writes`);
  const bodies = await storage.readBodies(scopeId(ALICE), ids);
  for (const rowId of stable)
    expectEqual(bodies.get(rowId), makeRow(rowId).body, `the body of row ${rowId} during writes`);
  const isWhole = [...bodies].every(([rowId, body]) => body === makeRow(rowId).body);
  expectTrue(isWhole, "bodies read during writes", "the body of each row", "another");
}

const reads: StorageCheck = {
  id: "beside/reads-beside-writes",
  rule: "Reads overlap with writes: stable rows are read once each, and an added or removed row is read completely or not at all.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    const storage = await bench.open(directory);
    await expectedRows.append(storage, scoped(ALICE, makeRows(1, STABLE_ROWS)));
    await repeatDuring(write(storage, expectedRows), () =>
      Promise.all([readOnce(storage), readOnce(storage)]),
    );
    await expectedRows.expectIn(storage, "after reads during writes");
  },
};

const maintenance: StorageCheck = {
  id: "beside/upkeep-beside-writes",
  rule: "`maintain` overlaps with writes and reads: it undoes no write, and reads return every row during it.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    const storage = await bench.open(directory);
    await expectedRows.append(storage, scoped(ALICE, makeRows(1, STABLE_ROWS)));
    let turn = 0;
    const maintainAndRead = () =>
      repeatDuring(storage.maintain({ purge: turn++ % 2 === 0 }), () => readOnce(storage));
    await repeatDuring(write(storage, expectedRows), maintainAndRead);
    await expectedRows.expectIn(storage, "after maintain during writes");
    await storage.sync();
    await expectedRows.expectIn(
      await bench.reopen(storage, directory),
      "after maintain during writes and reopening",
    );
  },
};

export const besideChecks = [reads, maintenance];
