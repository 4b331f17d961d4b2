import { cp, rename } from "node:fs/promises";
import { join } from "node:path";
import { scopeId } from "@membus/protocol";
import { expectEqual, expectTrue, NotApplicableError } from "../expectation.js";
import { ExpectedRows } from "../expected-rows.js";
import type { StorageCheck } from "../storage-check.js";
import { StorageProcess } from "../storage-process.js";
import { makeRow, makeRows, ownScope, scoped } from "../test-rows.js";
import { contextAt } from "../workbench.js";

const ALICE = ownScope("alice");
const BOB = ownScope("bob");
const OTHER = ownScope("alice", "default", "other");

const twice: StorageCheck = {
  id: "reopening/twice",
  rule: "Synced data is present however often the storage is closed and opened, also by a new instance.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    for (let round = 0; round < 3; round++) {
      for (const [index, scope] of [ALICE, BOB, OTHER].entries()) {
        await expectedRows.append(storage, scoped(scope, makeRows(round * 100 + index * 10 + 10, 9)));
      }
      await expectedRows.remove(storage, BOB, expectedRows.idsOf(scopeId(BOB)).slice(0, 3));
      await expectedRows.removeFrom(storage, round * 100 + 36, [OTHER, ALICE]);
      await storage.sync();
      storage = await bench.reopen(storage, directory);
      await expectedRows.expectIn(storage, `after reopening in round ${round}`);
      storage = await bench.reopen(storage, directory);
      await expectedRows.expectIn(storage, `after reopening twice in round ${round}`);
      await storage.maintain({ purge: round === 1 });
      storage = await bench.reopen(storage, directory);
      await expectedRows.expectIn(storage, `after maintain and reopening in round ${round}`);
    }
  },
};

const otherProcess: StorageCheck = {
  id: "reopening/other-process",
  rule: "Synced data is in the folder, where another process reads it. Data synced by that process is read afterwards.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    await expectedRows.append(storage, scoped(ALICE, makeRows(1, 30)));
    await expectedRows.remove(storage, ALICE, [7, 8]);
    await storage.sync();
    await bench.close(storage);
    const command = { action: "visit", directory, scope: scopeId(ALICE), first: 100 } as const;
    const visitor = new StorageProcess(bench.subject, bench.options.checkTimeoutMs, command);
    const report = await visitor.expectNext();
    await visitor.kill();
    const rows = expectedRows.rowsOf(scopeId(ALICE));
    const expected = {
      event: "visited",
      rowIds: rows.map(({ rowId }) => rowId),
      bodies: rows.map(({ body }) => body).sort(),
    };
    expectEqual(report, expected, "rows that another process reads");
    expectedRows.add(scoped(ownScope("visitor"), makeRows(100, 2)));
    storage = await bench.open(directory);
    await expectedRows.expectIn(storage, "after another process has appended two rows");
  },
};

const moved: StorageCheck = {
  id: "reopening/moved-folder",
  rule: "A folder that is copied or moved while it is closed opens in its new place, independent of the old one.",
  async run(bench) {
    const parent = await bench.directory();
    const [here, there, copy] = ["here", "there", "copy"].map((name) => join(parent, name)) as [
      string,
      string,
      string,
    ];
    await cp(await bench.directory(), here, { recursive: true });
    const expectedRows = new ExpectedRows();
    const storage = await bench.open(here);
    await expectedRows.append(storage, [...scoped(ALICE, makeRows(1, 5)), ...scoped(OTHER, makeRows(6, 5))]);
    await storage.sync();
    await bench.close(storage);
    await cp(here, copy, { recursive: true });
    await rename(here, there);
    const copied = await bench.open(copy);
    await copied.remove([{ scope: scopeId(ALICE), rowId: 1 }]);
    await copied.append(scoped(ALICE, [makeRow(77)]));
    await copied.sync();
    await expectedRows.expectIn(
      await bench.open(there),
      "after its folder was moved, and a copy of it was written to",
    );
  },
};

const separate: StorageCheck = {
  id: "reopening/folders-apart",
  rule: "Two storages of one process, in two folders, are independent.",
  async run(bench) {
    const [first, second] = [await bench.directory(), await bench.directory()];
    const [expectedRows, others] = [new ExpectedRows(), new ExpectedRows()];
    const storage = await bench.open(first);
    const other = await bench.open(second);
    await expectedRows.append(storage, scoped(ALICE, makeRows(1, 3)));
    await others.append(other, scoped(ALICE, [makeRow(2, { body: "null" }), makeRow(4)]));
    await others.remove(other, ALICE, [4]);
    others.add(scoped(BOB, []));
    await storage.sync();
    await other.sync();
    await expectedRows.expectIn(storage, "next to another storage of the process");
    await others.expectIn(other, "in the other storage");
    await expectedRows.expectIn(
      await bench.reopen(storage, first),
      "next to another storage, after reopening",
    );
    await others.expectIn(await bench.reopen(other, second), "in the other storage after reopening");
  },
};

const snapshot: StorageCheck = {
  id: "reopening/snapshot",
  rule: "`snapshot` writes the durable data to another folder, which can be opened, and which later writes do not change.",
  async run(bench) {
    const directory = await bench.directory();
    const target = await bench.directory();
    const expectedRows = new ExpectedRows();
    const storage = await bench.open(directory);
    if (storage.snapshot === undefined) throw new NotApplicableError("the storage has no `snapshot`");
    await expectedRows.append(storage, [
      ...scoped(ALICE, makeRows(1, 20)),
      ...scoped(OTHER, makeRows(21, 5)),
    ]);
    await expectedRows.remove(storage, ALICE, [3]);
    await storage.sync();
    await storage.snapshot(target);
    await storage.remove([{ scope: scopeId(ALICE), rowId: 1 }]);
    await storage.append(scoped(ALICE, [makeRow(99)]));
    await storage.sync();
    await storage.maintain({ purge: true });
    await expectedRows.expectIn(await bench.open(target), "in its snapshot");
  },
};

const unopened: StorageCheck = {
  id: "reopening/close-of-unopened",
  rule: "`close` succeeds if `open` has failed or was never called.",
  async run(bench) {
    const directory = await bench.directory();
    const { createStorage } = bench.subject;
    const failure = await createStorage(contextAt(directory))
      .close()
      .catch((error: unknown) => error);
    expectTrue(failure === undefined, "close of a storage that was not opened", "success", String(failure));
  },
};

export const reopeningChecks = [twice, otherProcess, moved, separate, snapshot, unopened];
