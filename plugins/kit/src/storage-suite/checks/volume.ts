import { scopeId } from "@membus/protocol";
import { expectEqual, expectMembers } from "../expectation.js";
import { ExpectedRows } from "../expected-rows.js";
import type { StorageCheck } from "../storage-check.js";
import { makeRows, ownScope, scoped } from "../test-rows.js";

const ALICE = ownScope("alice");
const BOB = ownScope("bob");
/** Limit of the rows in an `append` of the kit. */
const BATCH_ROWS = 1_024;

const manyRows: StorageCheck = {
  id: "volume/rows-of-a-scope",
  rule: "A scope may have many rows. Each is loaded, and its body read.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    const { rowCount } = bench.options;
    for (let first = 1; first <= rowCount; first += BATCH_ROWS) {
      const count = Math.min(BATCH_ROWS, rowCount + 1 - first);
      await expectedRows.append(storage, scoped(ALICE, makeRows(first, count)));
    }
    await expectedRows.append(storage, scoped(BOB, makeRows(rowCount + 1, 2)));
    await expectedRows.expectIn(storage, `with ${rowCount} rows`);
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await expectedRows.expectIn(storage, `with ${rowCount} rows, after reopening`);
    await storage.maintain({ purge: false });
    await expectedRows.expectIn(storage, `with ${rowCount} rows, after maintain`);
  },
};

const manyRemoved: StorageCheck = {
  id: "volume/removals-at-once",
  rule: "One `remove` may delete thousands of rows, each of them and no other.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    const { rowCount } = bench.options;
    await expectedRows.append(storage, scoped(ALICE, makeRows(1, rowCount)));
    const ids = expectedRows.idsOf(scopeId(ALICE));
    await expectedRows.remove(
      storage,
      ALICE,
      ids.filter((rowId) => rowId % 8 !== 0),
    );
    await expectedRows.expectIn(storage, `after the removal of seven in eight of ${rowCount} rows`);
    await expectedRows.removeFrom(storage, Math.floor(rowCount / 2), [ALICE]);
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await expectedRows.expectIn(storage, "after removing their upper half and reopening");
  },
};

const manySizes: StorageCheck = {
  id: "volume/sizes",
  rule: "`sizes` reports every row of the tenant once, with its bytes, and `outdated` counts every row.",
  async run(bench) {
    const storage = await bench.open(await bench.directory());
    const { rowCount } = bench.options;
    const rows = makeRows(1, rowCount, { body: '{"content":"\u00e9\u{1f600}","ttl":null}' });
    await storage.append(scoped(ALICE, rows));
    const ids: number[] = [];
    let bytes = 0;
    await storage.sizes(ALICE.tenant, ({ rowId, bodyBytes }) => {
      ids.push(rowId);
      bytes += bodyBytes;
    });
    expectMembers(
      ids,
      rows.map(({ rowId }) => rowId),
      `ids that sizes reports with ${rowCount} rows`,
    );
    expectEqual(bytes, rowCount * 31, "sum of the body bytes in UTF-8 that sizes reports");
    const { rowCount: counted, outdatedCount } = await storage.outdated(
      { analyzer: "new", embedder: "new" },
      10,
    );
    expectEqual([counted, outdatedCount], [rowCount, rowCount], "numbers of rows and of outdated rows");
  },
};

export const volumeChecks = [manyRows, manyRemoved, manySizes];
