import { scopeId } from "@membus/protocol";
import type { Storage } from "../../storage.js";
import { expectEqual, expectMembers, expectTrue } from "../expectation.js";
import { HeldRows } from "../held-rows.js";
import { makeRow, makeRows, ownScope, scoped } from "../made-rows.js";
import { loadRows } from "../read-rows.js";
import type { StorageCheck } from "../storage-check.js";

const ALICE = ownScope("alice");
const BOB = ownScope("bob");
const ROUNDS = 8;
const STABLE_ROWS = 120;
/** Rows per round that are added and removed next to the stable ones. */
const ROUND_ROWS = 40;

/** Appends and removes rows, round after round. */
async function write(storage: Storage, held: HeldRows): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    const first = round * 1_000;
    await held.append(storage, [
      ...scoped(ALICE, makeRows(first, ROUND_ROWS)),
      ...scoped(BOB, [makeRow(first + 999)]),
    ]);
    const gone = held.idsOf(scopeId(ALICE)).filter((rowId) => rowId > STABLE_ROWS && rowId % 2 === 0);
    await held.remove(storage, ALICE, gone);
    await held.removeFrom(storage, first + ROUND_ROWS / 2, [ALICE]);
    await storage.sync();
  }
}

/** Calls `task` repeatedly until `work` has ended. */
async function meanwhile(work: Promise<unknown>, task: () => Promise<unknown>): Promise<void> {
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
  promise:
    "Reads overlap with writes: stable rows are read once each, and an added or removed row is read completely or not at all.",
  async run(bench) {
    const directory = await bench.directory();
    const held = new HeldRows();
    const storage = await bench.open(directory);
    await held.append(storage, scoped(ALICE, makeRows(1, STABLE_ROWS)));
    await meanwhile(write(storage, held), () => Promise.all([readOnce(storage), readOnce(storage)]));
    await held.expectIn(storage, "after reads during writes");
  },
};

const upkeep: StorageCheck = {
  id: "beside/upkeep-beside-writes",
  promise:
    "`maintain` overlaps with writes and reads: it undoes no write, and reads return every row during it.",
  async run(bench) {
    const directory = await bench.directory();
    const held = new HeldRows();
    const storage = await bench.open(directory);
    await held.append(storage, scoped(ALICE, makeRows(1, STABLE_ROWS)));
    let turn = 0;
    const upkeepAndRead = () =>
      meanwhile(storage.maintain({ purge: turn++ % 2 === 0 }), () => readOnce(storage));
    await meanwhile(write(storage, held), upkeepAndRead);
    await held.expectIn(storage, "after maintain during writes");
    await storage.sync();
    await held.expectIn(await bench.reopen(storage, directory), "after maintain during writes and reopening");
  },
};

export const besideChecks = [reads, upkeep];
