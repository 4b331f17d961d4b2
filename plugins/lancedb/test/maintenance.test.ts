import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Storage } from "@membus/plugin-kit";
import { scopeId } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { episodic, filesWith, loadIds, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const alice = episodic("acme");
const secret = episodic("acme", "alice", "namespace-s3cret");
const table = (directory: string, ...rest: string[]) => join(directory, "table", "t_acme.lance", ...rest);
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

async function appendRows(storage: Storage, from: number, count: number): Promise<void> {
  await storage.append(scoped(alice, ...range(from, count).map((id) => makeRow(id))));
}

async function appendSecret(storage: Storage, rowId: number): Promise<void> {
  const row = makeRow(rowId, {
    body: "body-s3cret",
    facets: "facets-s3cret",
    group: "group-s3cret",
    embedder: "e-s3cret",
  });
  await storage.append(scoped(secret, row));
}

describe("a purge", () => {
  it("erases the bytes of removed rows from files of any size and from indexes", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    await appendRows(storage, 0, 3_000);
    await appendSecret(storage, 3_000);
    await storage.maintain({ purge: true });
    await appendRows(storage, 4_000, 10);
    await storage.remove([{ scope: scopeId(secret), rowId: 3_000 }]);
    expect((await filesWith(directory, "s3cret")).length).toBeGreaterThan(0);
    await storage.maintain({ purge: true });
    expect(await filesWith(directory, "s3cret")).toEqual([]);
    expect(await loadIds(storage, alice)).toEqual([...range(0, 3_000), ...range(4_000, 10)]);
    expect((await storage.readBodies(scopeId(alice), range(0, 5_000))).size).toBe(3_010);
  });

  it("erases them from one compacted, indexed fragment and its index", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory, { fragmentsMax: 2 });
    await appendSecret(storage, 1);
    await appendRows(storage, 10, 3_000);
    await appendRows(storage, 5_000, 3_000);
    await storage.maintain({ purge: false });
    expect(await readdir(table(directory, "data"))).toHaveLength(1);
    expect(await filesWith(table(directory, "_indices"), "s3cret")).toHaveLength(2);
    await storage.remove([{ scope: scopeId(secret), rowId: 1 }]);
    await storage.maintain({ purge: true });
    expect(await filesWith(directory, "s3cret")).toEqual([]);
    expect(await readdir(table(directory, "data"))).toHaveLength(1);
    expect((await loadIds(storage, alice)).length).toBe(6_000);
  });

  it("erases them from an index that outlives its fragments", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory, { fragmentsMax: 2 });
    await appendRows(storage, 0, 5_000);
    await appendRows(storage, 5_000, 10);
    await storage.maintain({ purge: false });
    await appendRows(storage, 6_000, 10);
    await appendSecret(storage, 7_000);
    await storage.maintain({ purge: false });
    expect(await readdir(table(directory, "data"))).toHaveLength(3);
    expect(await filesWith(table(directory, "_indices"), "s3cret")).toHaveLength(2);
    await storage.remove([{ scope: scopeId(secret), rowId: 7_000 }]);
    await storage.maintain({ purge: true });
    expect(await filesWith(directory, "s3cret")).toEqual([]);
  });

  it("empties a table when all its rows are removed, and the table can be used again", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    await appendRows(storage, 0, 3_000);
    await storage.maintain({ purge: true });
    await storage.removeFrom(0, [scopeId(alice)]);
    await storage.maintain({ purge: true });
    expect(await filesWith(directory, "body of")).toEqual([]);
    await appendRows(storage, 9_000, 2);
    await storage.remove([{ scope: scopeId(alice), rowId: 9_000 }]);
    await storage.maintain({ purge: true });
    expect(await loadIds(storage, alice)).toEqual([9_001]);
  });

  it("erases the name of a scope that is removed as a whole", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    await appendRows(storage, 0, 10);
    await appendSecret(storage, 50);
    await storage.removeFrom(50, [scopeId(secret)]);
    await storage.maintain({ purge: true });
    expect(await filesWith(directory, "s3cret")).toEqual([]);
  });

  it("that is pending is done after a restart", async () => {
    const directory = await fixture.directory();
    const first = await fixture.open(directory);
    await appendSecret(first, 1);
    await first.remove([{ scope: scopeId(secret), rowId: 1 }]);
    const second = await fixture.reopen(first, directory);
    await second.expiredScopes(1, 10);
    await second.maintain({ purge: false });
    expect(await filesWith(directory, "s3cret")).toEqual([]);
  });

  it("does not affect running reads", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    for (let round = 0; round < 6; round++) await appendRows(storage, round * 1_000, 1_000);
    const reads = range(0, 8).map(() => loadIds(storage, alice));
    await storage.remove([{ scope: scopeId(alice), rowId: 5_999 }]);
    reads.push(...range(0, 8).map(() => loadIds(storage, alice)));
    await Promise.all([storage.maintain({ purge: true }), ...reads]);
    const lengths = (await Promise.all(reads)).map((ids) => ids.length);
    expect(new Set(lengths.slice(8))).toEqual(new Set([5_999]));
    for (const length of lengths.slice(0, 8)) expect([5_999, 6_000]).toContain(length);
  });
});

describe("maintenance", () => {
  it("compacts a table with many fragments, and drops old versions", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory, { fragmentsMax: 4 });
    for (let round = 0; round < 3; round++) await appendRows(storage, round * 10, 10);
    await storage.maintain({ purge: false });
    expect(await readdir(table(directory, "data"))).toHaveLength(3);
    await appendRows(storage, 90, 10);
    await storage.maintain({ purge: false });
    expect(await readdir(table(directory, "data"))).toHaveLength(1);
    expect(
      (await readdir(table(directory, "_versions"))).filter((name) => name.endsWith(".manifest")),
    ).toHaveLength(1);
    expect(storage.stats()).toMatchObject({ tables_open_rows: 40, tables_open_new_fragments: 0 });
  });

  it("compacts fragments of an earlier process, once the table is used", async () => {
    const directory = await fixture.directory();
    const before = await fixture.open(directory, { fragmentsMax: 4 });
    for (let round = 0; round < 4; round++) await appendRows(before, round * 10, 10);
    const storage = await fixture.reopen(before, directory, { fragmentsMax: 4 });
    await storage.maintain({ purge: false });
    expect(await readdir(table(directory, "data"))).toHaveLength(4);
    expect((await loadIds(storage, alice)).length).toBe(40);
    await storage.maintain({ purge: false });
    expect(await readdir(table(directory, "data"))).toHaveLength(1);
  });

  it("indexes a table that has many rows", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory, { fragmentsMax: 2 });
    await appendRows(storage, 0, 1_500);
    await appendRows(storage, 2_000, 1_500);
    await storage.maintain({ purge: false });
    expect(await readdir(table(directory, "_indices"))).toHaveLength(2);
    await storage.maintain({ purge: false });
    await storage.remove([{ scope: scopeId(alice), rowId: 7 }]);
    await storage.maintain({ purge: true });
    expect(await readdir(table(directory, "_indices"))).toHaveLength(2);
    expect((await loadIds(storage, alice)).length).toBe(2_999);
  });

  it("indexes new rows when appends stop, also after a restart", async () => {
    const directory = await fixture.directory();
    const before = await fixture.open(directory);
    const indexCount = async () => (await readdir(table(directory, "_indices")).catch(() => [])).length;
    await appendRows(before, 0, 3_000);
    await before.maintain({ purge: false });
    expect(await indexCount()).toBe(0);
    await before.maintain({ purge: false });
    expect(await indexCount()).toBe(2);
    await appendRows(before, 3_000, 2_000);
    for (let time = 0; time < 3; time++) await before.maintain({ purge: false });
    expect(await indexCount()).toBe(2);
    await appendRows(before, 5_000, 100);
    const storage = await fixture.reopen(before, directory);
    await storage.expiredScopes(1, 10);
    for (let time = 0; time < 2; time++) await storage.maintain({ purge: false });
    // The earlier indexes are removed by the next compaction.
    expect(await indexCount()).toBe(4);
    for (let time = 0; time < 2; time++) await storage.maintain({ purge: false });
    expect(await indexCount()).toBe(4);
    expect((await loadIds(storage, alice)).length).toBe(5_100);
  });

  it("runs concurrently with appends and removals", async () => {
    const storage = await fixture.open(await fixture.directory(), { fragmentsMax: 2 });
    let isDone = false;
    const maintained = (async () => {
      for (let round = 0; !isDone; round++) {
        await storage.maintain({ purge: round % 2 === 0 });
        await nextTurn();
      }
    })();
    for (let round = 0; round < 15; round++) {
      await appendRows(storage, round * 100, 100);
      await storage.remove(range(round * 100, 10).map((rowId) => ({ scope: scopeId(alice), rowId })));
      if (round % 5 === 4) await storage.sync();
    }
    isDone = true;
    await maintained;
    expect((await loadIds(storage, alice)).length).toBe(1_350);
  });
});
