import { type Scope, scopeId } from "@membus/protocol";
import type { Storage } from "../../storage.js";
import { expectEqual, expectMembers, expectTrue } from "../expectation.js";
import { ExpectedRows } from "../expected-rows.js";
import type { StorageCheck } from "../storage-check.js";
import { ANALYZER, EMBEDDER, makeRow, makeRows, ownScope, scoped, TENANT } from "../test-rows.js";

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

/** More scopes than a usual page of 1,000. */
const SCOPE_COUNT = 1_100;
/** Number of the last scopes with an expired and outdated row. */
const DUE_COUNT = 400;
const EXPIRED_AT = 100;
const LIMIT = 300;

const manyScopes: Scope[] = Array.from({ length: SCOPE_COUNT }, (_, index) =>
  ownScope(`agent ${index % 5}`, `namespace ${index}`),
);
const dueIds = manyScopes.slice(-DUE_COUNT).map(scopeId);

/** Expects as many scopes as the limit, each once, and only scopes with such rows. */
function expectSome(found: readonly string[], what: string): void {
  const isSome =
    found.length === LIMIT && new Set(found).size === LIMIT && found.every((id) => dueIds.includes(id));
  expectTrue(isSome, `${what} with a limit of ${LIMIT}`, `${LIMIT} of the ${DUE_COUNT} scopes`, found.length);
}

async function expectDue(storage: Storage, when: string): Promise<void> {
  expectMembers((await storage.scopes(TENANT)).map(scopeId), manyScopes.map(scopeId), `scopes ${when}`);
  const sized: string[] = [];
  await storage.sizes(TENANT, ({ scope }) => sized.push(scope));
  expectMembers(sized, manyScopes.map(scopeId), `scopes of the rows that sizes reports ${when}`);
  expectMembers(await storage.expiredScopes(EXPIRED_AT, 1_000), dueIds, `scopes with expired rows ${when}`);
  expectSome(await storage.expiredScopes(EXPIRED_AT, LIMIT), `scopes with expired rows ${when}`);
  const ids = { analyzer: ANALYZER, embedder: EMBEDDER };
  const { rowCount, outdatedCount, scopes } = await storage.outdated(ids, 1_000);
  expectEqual(
    [rowCount, outdatedCount],
    [SCOPE_COUNT, DUE_COUNT],
    `numbers of rows and outdated rows ${when}`,
  );
  expectMembers(scopes, dueIds, `scopes with outdated rows ${when}`);
  expectSome((await storage.outdated(ids, LIMIT)).scopes, `scopes with outdated rows ${when}`);
}

const dueScopes: StorageCheck = {
  id: "volume/scopes-of-a-tenant",
  rule: "Every scope of a tenant with many is named, and expired and outdated rows are found in each of them.",
  async run(bench) {
    const directory = await bench.directory();
    let storage = await bench.open(directory);
    const due = { expiresAt: EXPIRED_AT, embedder: "old" };
    const rows = manyScopes.flatMap((scope, index) =>
      scoped(scope, [makeRow(index, index < SCOPE_COUNT - DUE_COUNT ? {} : due)]),
    );
    await storage.append(rows);
    await expectDue(storage, `with ${SCOPE_COUNT} scopes`);
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await expectDue(storage, `with ${SCOPE_COUNT} scopes, after reopening`);
    const first = new Set(await storage.expiredScopes(EXPIRED_AT, LIMIT));
    await storage.remove(
      rows.flatMap(({ scope, row }) => (first.has(scope) ? [{ scope, rowId: row.rowId }] : [])),
    );
    const left = dueIds.filter((id) => !first.has(id));
    const what = "after the expired rows of the first ones are removed";
    expectMembers(await storage.expiredScopes(EXPIRED_AT, LIMIT), left, `scopes with expired rows ${what}`);
  },
};

export const volumeChecks = [manyRows, manyRemoved, manySizes, dueScopes];
