import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Storage } from "@membus/plugin-kit";
import { scopeId, systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { createLanceStorage } from "../src/index.js";
import { FAULT_POINTS, type FaultPoint, FaultyStore } from "./faulty-store.js";
import { DIMENSIONS, episodic, loadIds, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
const opened = new Set<Storage>();
afterEach(async () => {
  for (const storage of opened) await storage.close();
  opened.clear();
  await fixture.end();
});

/** Error of LanceDB 0.39.0 when an object store answers 503 to every try. */
const NO_ANSWER = Object.assign(
  new Error(
    "lance error: LanceError(IO): Generic S3 error: Error performing PUT http://127.0.0.1:9000/b/t in 280ms, " +
      "after 2 retries, max_retries: 2, retry_timeout: 3s  - Server returned non-2xx status code: 503",
  ),
  { code: "GenericFailure" },
);
const UNREACHABLE = {
  code: "unavailable",
  retryable: true,
  detail: { reason: "storage_unreachable", retry_after_ms: 1000 },
};
const acme = episodic("acme");
const other = episodic("other");
const logger = { debug() {}, info() {}, warn() {}, error() {} };

interface Opened {
  readonly directory: string;
  readonly store: FaultyStore;
  readonly storage: Storage;
}

/** Opens a storage with a synced row 1 and an unsynced row 2 of each tenant. */
async function openWithRows(): Promise<Opened> {
  const directory = await fixture.directory();
  const store = new FaultyStore(directory);
  const context = { directory, dimensions: DIMENSIONS, embedder: "static", clock: systemClock, logger };
  const storage = createLanceStorage({ ...context, store });
  await storage.open();
  opened.add(storage);
  await storage.append([...scoped(acme, makeRow(1)), ...scoped(other, makeRow(11))]);
  await storage.sync();
  await storage.append([...scoped(acme, makeRow(2)), ...scoped(other, makeRow(12))]);
  return { directory, store, storage };
}

async function close(storage: Storage): Promise<void> {
  opened.delete(storage);
  await storage.close();
}

/** Writes row 3 as the kit does it again after a failed flush. */
async function writeAgain(storage: Storage): Promise<void> {
  await storage.removeFrom(3, [scopeId(acme)]);
  await storage.append(scoped(acme, makeRow(3)));
  await storage.remove([{ scope: scopeId(acme), rowId: 1 }]);
  await storage.sync();
}

const loseStore = (store: FaultyStore, points: readonly FaultPoint[], afterEffect = false) => {
  store.fault = { points, afterEffect, error: NO_ANSWER };
};

describe("a store that cannot be reached", () => {
  for (const point of FAULT_POINTS.filter((name) => name !== "openTable")) {
    for (const afterEffect of [false, true]) {
      it(`${afterEffect ? "after" : "before"} ${point} sets no table aside, and every row is there once`, async () => {
        const { directory, store, storage } = await openWithRows();
        loseStore(store, [point], afterEffect);
        await expect(writeAgain(storage)).rejects.toMatchObject(UNREACHABLE);
        await expect(writeAgain(storage)).rejects.toMatchObject(UNREACHABLE);
        expect(storage.stats()).toMatchObject({ tables_damaged: 0 });
        expect([...storage.damagedTenants!]).toEqual([]);
        store.fault = undefined;
        await writeAgain(storage);
        expect(await loadIds(storage, acme)).toEqual([2, 3]);
        expect(await loadIds(storage, other)).toEqual([11, 12]);
        await close(storage);
        expect((await readdir(join(directory, "table"))).sort()).toEqual(["t_acme.lance", "t_other.lance"]);
        const reopened = await fixture.open(directory);
        expect(await loadIds(reopened, acme)).toEqual([2, 3]);
      });
    }
  }

  it("refuses reads of a table that is not open, and serves them again later", async () => {
    const { directory, store, storage } = await openWithRows();
    loseStore(store, ["add", "openTable"]);
    await expect(writeAgain(storage)).rejects.toMatchObject(UNREACHABLE);
    await expect(loadIds(storage, acme)).rejects.toMatchObject(UNREACHABLE);
    await expect(storage.scopes("acme")).rejects.toMatchObject(UNREACHABLE);
    await expect(storage.expiredScopes(2_000_000_000, 10)).rejects.toMatchObject(UNREACHABLE);
    await expect(storage.maintain({ purge: true, tenant: "acme" })).rejects.toMatchObject(UNREACHABLE);
    expect(await loadIds(storage, other)).toEqual([11, 12]);
    expect((await readdir(join(directory, "table"))).sort()).toEqual(["t_acme.lance", "t_other.lance"]);
    store.fault = undefined;
    // Like after any failed write, rows of it may be there until the write is done again.
    expect(await loadIds(storage, acme)).toEqual([1, 2, 3]);
    await writeAgain(storage);
    expect(await loadIds(storage, acme)).toEqual([2, 3]);
  });

  it("keeps a table open for reads that fail", async () => {
    const { store, storage } = await openWithRows();
    loseStore(store, ["query"]);
    await expect(loadIds(storage, acme)).rejects.toMatchObject(UNREACHABLE);
    expect(storage.stats()).toMatchObject({ tables_open: 2, tables_damaged: 0 });
    store.fault = undefined;
    expect(await loadIds(storage, acme)).toEqual([1, 2]);
  });

  it("lets no sync succeed before the unsynced rows are durable", async () => {
    const { directory, store, storage } = await openWithRows();
    loseStore(store, ["add"]);
    await expect(storage.append(scoped(acme, makeRow(3)))).rejects.toMatchObject(UNREACHABLE);
    loseStore(store, ["openTable"]);
    await expect(storage.sync()).rejects.toMatchObject(UNREACHABLE);
    loseStore(store, ["settle"]);
    await expect(storage.sync()).rejects.toMatchObject(UNREACHABLE);
    store.fault = undefined;
    await storage.removeFrom(3, [scopeId(acme)]);
    await storage.sync();
    const killed = await fixture.copy(directory, () => true);
    expect(await loadIds(await fixture.open(killed), acme)).toEqual([1, 2]);
    expect(await loadIds(storage, acme)).toEqual([1, 2]);
  });

  it("does not keep rows for later that were removed with their tenant", async () => {
    const { directory, store, storage } = await openWithRows();
    loseStore(store, ["add"]);
    await expect(storage.append(scoped(acme, makeRow(3)))).rejects.toMatchObject(UNREACHABLE);
    store.fault = undefined;
    await storage.dropTenant!("acme", async () => undefined);
    await storage.sync();
    expect(await loadIds(storage, acme)).toEqual([]);
    expect(await readdir(join(directory, "table"))).toEqual(["t_other.lance"]);
    await storage.append(scoped(acme, makeRow(4)));
    expect(await loadIds(storage, acme)).toEqual([4]);
  });

  it("keeps the unsynced rows of a table that turns out to be damaged", async () => {
    const { directory, store, storage } = await openWithRows();
    const files = join(directory, "table", "t_acme.lance");
    loseStore(store, ["add"]);
    await expect(storage.append(scoped(acme, makeRow(3)))).rejects.toMatchObject(UNREACHABLE);
    store.fault = undefined;
    await expect.poll(() => storage.stats().tables_open).toBe(1);
    await rename(files, join(directory, "kept"));
    await writeFile(files, "nothing");
    await storage.removeFrom(3, [scopeId(acme)]);
    await storage.append(scoped(acme, makeRow(3)));
    await storage.sync();
    expect(storage.stats()).toMatchObject({ tables_damaged: 1 });
    await close(storage);
    await rm(files);
    await rename(join(directory, "kept"), files);
    expect(await loadIds(await fixture.open(directory), acme)).toEqual([1, 2, 3]);
  });

  it("lets a first row of a tenant be written later", async () => {
    const { store, storage } = await openWithRows();
    const first = episodic("first");
    loseStore(store, ["createEmptyTable"]);
    await expect(storage.append(scoped(first, makeRow(3)))).rejects.toMatchObject(UNREACHABLE);
    store.fault = undefined;
    await storage.append(scoped(first, makeRow(3)));
    await storage.sync();
    expect(await loadIds(storage, first)).toEqual([3]);
  });

  it("lets running reads end before their table is closed", async () => {
    const { store, storage } = await openWithRows();
    const ids = Array.from({ length: 3_000 }, (_, index) => 100 + index);
    await storage.append(scoped(acme, ...ids.map((id) => makeRow(id))));
    // It takes several queries, one after the other.
    const bodies = storage.readBodies(scopeId(acme), ids);
    loseStore(store, ["add"]);
    await expect(storage.append(scoped(acme, makeRow(4_000)))).rejects.toMatchObject(UNREACHABLE);
    store.fault = undefined;
    expect((await bodies).size).toBe(3_000);
    await storage.removeFrom(4_000, [scopeId(acme)]);
    expect(await loadIds(storage, acme)).toEqual([1, 2, ...ids]);
    expect(storage.stats()).toMatchObject({ tables_damaged: 0 });
  });
});
