import { scopeId } from "@membus/protocol";
import type { RowSize, Storage } from "../../storage.js";
import { expectEqual, expectMembers, expectTrue } from "../expectation.js";
import { ExpectedRows } from "../expected-rows.js";
import { loadIds } from "../read-rows.js";
import type { StorageCheck } from "../storage-check.js";
import { ANALYZER, EMBEDDER, makeRow, makeRows, ownScope, scoped } from "../test-rows.js";

const ALICE = ownScope("alice");
const BOB = ownScope("bob");
const OTHER = ownScope("alice", "default", "other");
const EMPTY_SCOPE = ownScope("empty");

const bodies: StorageCheck = {
  id: "answers/bodies",
  rule: "`readBodies` returns the bodies of rows that are in this scope now, and none for other ids.",
  async run(bench) {
    const storage = await bench.open(await bench.directory());
    await storage.append([...scoped(ALICE, makeRows(1, 4)), ...scoped(BOB, makeRows(5, 2))]);
    await storage.remove([{ scope: scopeId(ALICE), rowId: 2 }]);
    const read = async (scope = ALICE) => [
      ...(await storage.readBodies(scopeId(scope), [5, 4, 2, 1, 99])).entries(),
    ];
    const bodyOf = (rowId: number) => [rowId, makeRow(rowId).body];
    const what = "bodies of 5 (another scope's), 4, 2 (removed), 1 and 99 (never there)";
    expectEqual(
      (await read()).sort(([a], [b]) => a - b),
      [bodyOf(1), bodyOf(4)],
      what,
    );
    expectEqual(await read(BOB), [bodyOf(5)], "bodies of the same ids in the scope of 5");
    expectEqual(await read(EMPTY_SCOPE), [], "bodies of the same ids in a scope without rows");
    expectEqual([...(await storage.readBodies(scopeId(ALICE), []))], [], "bodies of no ids");
  },
};

const removals: StorageCheck = {
  id: "answers/removals",
  rule: "`remove` ignores absent rows and scopes, because a removal is repeated after a crash.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    await expectedRows.remove(storage, EMPTY_SCOPE, [901, 902]);
    await expectedRows.append(storage, [...scoped(ALICE, makeRows(1, 4)), ...scoped(BOB, makeRows(5, 2))]);
    await expectedRows.remove(storage, ALICE, [2, 77]);
    await expectedRows.expectIn(storage, "after removing a row, and one that was never there");
    await expectedRows.remove(storage, ALICE, [2, 3]);
    await expectedRows.remove(storage, EMPTY_SCOPE, [901, 902]);
    await expectedRows.expectIn(storage, "after removing a row, and one that was removed before");
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await expectedRows.expectIn(storage, "after that and reopening");
    await expectedRows.remove(storage, BOB, [5, 6]);
    await expectedRows.append(storage, scoped(BOB, [makeRow(7)]));
    await expectedRows.expectIn(storage, "after a new row in an emptied scope");
  },
};

const takenBack: StorageCheck = {
  id: "answers/taken-back",
  rule: "`removeFrom` deletes rows with this id or a higher one, only from the named scopes. Then they can be appended again.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    await expectedRows.removeFrom(storage, 1, [EMPTY_SCOPE]);
    for (const [index, scope] of [ALICE, BOB, OTHER].entries()) {
      await expectedRows.append(
        storage,
        scoped(scope, [makeRow(index + 1), makeRow(index + 9), makeRow(index + 100)]),
      );
    }
    await expectedRows.removeFrom(storage, 11, [ALICE, OTHER, EMPTY_SCOPE]);
    await expectedRows.expectIn(storage, "after removeFrom 11 of two of the three scopes");
    await expectedRows.append(storage, scoped(ALICE, [makeRow(100)]));
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await expectedRows.expectIn(storage, "after a row deleted by removeFrom is appended again and reopening");
  },
};

const named: StorageCheck = {
  id: "answers/scopes-of-a-tenant",
  rule: "`scopes` returns each scope of the tenant that has rows, once, and no empty scope.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    expectEqual(await storage.scopes("acme"), [], "scopes of a tenant without rows");
    await storage.load(scopeId(EMPTY_SCOPE), { reserve: () => true, take() {} });
    for (const scope of [ALICE, BOB, OTHER])
      await expectedRows.append(storage, scoped(scope, [makeRow(expectedRows.scopes.length)]));
    await expectedRows.expectScopes(storage, "after three scopes of two tenants got rows");
    await expectedRows.remove(storage, ALICE, [0]);
    await expectedRows.removeFrom(storage, 0, [OTHER]);
    await expectedRows.expectScopes(storage, "after two of them lost their rows");
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await expectedRows.expectScopes(storage, "after reopening");
  },
};

const sizes: StorageCheck = {
  id: "answers/sizes",
  rule: "`sizes` reports for every row of the tenant its scope, id, expiry, facets and the bytes of its body in UTF-8.",
  async run(bench) {
    const storage = await bench.open(await bench.directory());
    const body = '{"content":"\u00e9\u{1f600}","ttl":null}';
    await storage.append([
      ...scoped(ALICE, [makeRow(1, { expiresAt: 5.5, group: "g" }), makeRow(2, { body })]),
      ...scoped(BOB, [makeRow(3), makeRow(4)]),
      ...scoped(OTHER, [makeRow(5)]),
    ]);
    await storage.remove([{ scope: scopeId(BOB), rowId: 4 }]);
    const found: RowSize[] = [];
    await storage.sizes("acme", ({ scope, rowId, expiresAt, facets, group, bodyBytes }) => {
      found.push({ scope, rowId, expiresAt, facets, group, bodyBytes });
    });
    const expected = [
      {
        scope: scopeId(ALICE),
        rowId: 1,
        expiresAt: 5.5,
        facets: makeRow(1).facets,
        group: "g",
        bodyBytes: 34,
      },
      {
        scope: scopeId(ALICE),
        rowId: 2,
        expiresAt: 0,
        facets: makeRow(2).facets,
        group: makeRow(2).group,
        bodyBytes: 31,
      },
      {
        scope: scopeId(BOB),
        rowId: 3,
        expiresAt: 0,
        facets: makeRow(3).facets,
        group: makeRow(3).group,
        bodyBytes: 34,
      },
    ];
    const sorted = found.sort((a, b) => a.rowId - b.rowId);
    expectEqual(sorted, expected, "rows that sizes reports for two scopes of a tenant after a removal");
  },
};

const EXPIRING = [
  ownScope("a"),
  ownScope("b"),
  ownScope("c", "x", "other"),
  ownScope("d"),
  ownScope("e"),
] as const;

const expired: StorageCheck = {
  id: "answers/expired-scopes",
  rule: "`expiredScopes` returns at most `limit` scopes with a row that expires, and not after `now`.",
  async run(bench) {
    const directory = await bench.directory();
    let storage = await bench.open(directory);
    const times = [100.5, 101, 99.75, 0, 1e12];
    const rows = EXPIRING.flatMap((scope, index) =>
      scoped(scope, [makeRow(index * 2 + 1, { expiresAt: times[index]! }), makeRow(index * 2 + 2)]),
    );
    await storage.append(rows);
    const [a, b, c] = EXPIRING.map(scopeId) as [string, string, string];
    const cases = [
      { now: 99.5, expected: [] },
      { now: 100.5, expected: [a, c] },
      { now: 101, expected: [a, b, c] },
    ];
    const checkAll = async (when: string) => {
      for (const { now, expected } of cases) {
        expectMembers(
          await storage.expiredScopes(now, 10),
          expected,
          `scopes with rows that are expired at ${now} ${when}`,
        );
      }
      const some = await storage.expiredScopes(101, 2);
      const areSome =
        some.length === 2 && new Set(some).size === 2 && some.every((id) => [a, b, c].includes(id));
      expectTrue(areSome, `expired scopes with a limit of 2 ${when}`, "two of the three", some);
    };
    await checkAll("right after append");
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await checkAll("after reopening");
    await storage.remove([{ scope: a, rowId: 1 }]);
    expectMembers(
      await storage.expiredScopes(101, 10),
      [b, c],
      "expired scopes after the row of one is removed",
    );
  },
};

const outdated: StorageCheck = {
  id: "answers/outdated",
  rule: "`outdated` counts all rows and the rows of another generation (see `isOutdated`), and returns up to `limit` scopes.",
  async run(bench) {
    const directory = await bench.directory();
    let storage = await bench.open(directory);
    await storage.append([
      ...scoped(ALICE, [makeRow(1), makeRow(2, { embedder: "old" }), makeRow(3, { analyzer: "old" })]),
      ...scoped(BOB, [
        makeRow(4, { embedder: "", vector: null }),
        makeRow(5, { embedder: "", vector: null, analyzer: "old" }),
      ]),
      ...scoped(OTHER, [makeRow(6)]),
    ]);
    const checkAll = async (when: string) => {
      const both = { analyzer: ANALYZER, embedder: EMBEDDER };
      await expectOutdated(storage, both, { rows: 6, outdated: 4, scopes: [ALICE, BOB] }, when);
      const none = { analyzer: ANALYZER, embedder: undefined };
      await expectOutdated(
        storage,
        none,
        { rows: 6, outdated: 1, scopes: [BOB] },
        `${when}, without an embedder`,
      );
      expectEqual(
        (await storage.outdated(both, 1)).scopes.length,
        1,
        `outdated scopes with a limit of 1 ${when}`,
      );
    };
    await checkAll("right after append");
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await checkAll("after reopening");
    await storage.remove([{ scope: scopeId(ALICE), rowId: 2 }]);
    const both = { analyzer: ANALYZER, embedder: EMBEDDER };
    await expectOutdated(
      storage,
      both,
      { rows: 5, outdated: 3, scopes: [ALICE, BOB] },
      "after one is removed",
    );
  },
};

async function expectOutdated(
  storage: Storage,
  ids: Parameters<Storage["outdated"]>[0],
  expected: { rows: number; outdated: number; scopes: readonly (typeof ALICE)[] },
  when: string,
): Promise<void> {
  const { rowCount, outdatedCount, scopes } = await storage.outdated(ids, 10);
  expectEqual(
    [rowCount, outdatedCount],
    [expected.rows, expected.outdated],
    `numbers of rows and of outdated rows ${when}`,
  );
  expectMembers(scopes, expected.scopes.map(scopeId), `scopes with outdated rows ${when}`);
}

const empty: StorageCheck = {
  id: "answers/nothing",
  rule: "A new storage is empty: every read returns nothing, and `maintain` and `sync` do nothing.",
  async run(bench) {
    const directory = await bench.directory();
    let storage = await bench.open(directory);
    for (const when of ["of a new storage", "of a new storage after reopening"]) {
      expectEqual(await loadIds(storage, scopeId(ALICE)), [], `rows ${when}`);
      expectEqual(await storage.scopes("acme"), [], `scopes ${when}`);
      expectEqual([...(await storage.expiredScopes(1e12, 10))], [], `expired scopes ${when}`);
      const counts = await storage.outdated({ analyzer: ANALYZER, embedder: EMBEDDER }, 10);
      expectEqual(
        [counts.rowCount, counts.outdatedCount],
        [0, 0],
        `numbers of rows and of outdated rows ${when}`,
      );
      expectEqual(await storage.maintain({ purge: true }), true, `result of a purge ${when}`);
      await storage.sync();
      storage = await bench.reopen(storage, directory);
    }
  },
};

export const answerChecks = [bodies, removals, takenBack, named, sizes, expired, outdated, empty];
