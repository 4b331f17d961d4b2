import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scopeId } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { disk } from "../src/store/disk.js";
import { episodic, loadIds, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const tenants = Array.from({ length: 270 }, (_, index) => episodic(`tenant-${index}`));

describe("more tenants than openTablesMax", () => {
  it("are all served, from a limited number of open tables", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    await storage.append(tenants.flatMap((scope, index) => scoped(scope, makeRow(index))));
    expect(storage.stats()).toMatchObject({ tables: 270, tables_open: 256, tables_open_rows: 256 });
    await storage.sync();
    const found = await Promise.all(tenants.map((scope) => loadIds(storage, scope)));
    expect(found.flat()).toEqual(tenants.map((_, index) => index));
    expect(storage.stats()).toMatchObject({ tables_open: 256 });
    const reopened = await fixture.reopen(storage, directory, { openTablesMax: 2 });
    await reopened.remove(tenants.map((scope, index) => ({ scope: scopeId(scope), rowId: index })));
    await reopened.maintain({ purge: false });
    for (const { tenant } of tenants) expect(await reopened.scopes(tenant)).toEqual([]);
    expect(Number(reopened.stats().tables_open)).toBeLessThanOrEqual(2);
  });

  it("do not slow each other down: a tenant's scopes are read from its own table", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    await storage.append(tenants.slice(0, 20).flatMap((scope, index) => scoped(scope, makeRow(index))));
    const reopened = await fixture.reopen(storage, directory);
    expect(await reopened.scopes("tenant-7")).toEqual([tenants[7]]);
    expect(reopened.stats()).toMatchObject({ tables: 20, tables_open: 1, tables_open_rows: 1 });
  });
});

describe("a dropped table", () => {
  it("does not exist if a kill has left a part of it, and is removed at the next opening", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    const [scope] = tenants as [(typeof tenants)[number]];
    await storage.append(scoped(scope, makeRow(1)));
    await storage.close();
    const [file] = await readdir(join(directory, "table"));
    const dropped = join(directory, "table", file!.replace(".lance", ".dropped"));
    await rename(join(directory, "table", file!), dropped);
    await rm(join(dropped, "_synced.json"));
    const reopened = await fixture.open(directory);
    expect(await loadIds(reopened, scope)).toEqual([]);
    expect(reopened.stats()).toMatchObject({ tables: 0, tables_damaged: 0 });
    expect(await readdir(join(directory, "table"))).toEqual([]);
  });

  it("is removed during reads, and is not damaged for them", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    const [scope] = tenants as [(typeof tenants)[number]];
    await storage.append(scoped(scope, ...Array.from({ length: 500 }, (_, index) => makeRow(index))));
    let isErased = false;
    const readOn = async () => {
      const found: number[] = [];
      for (; !isErased; await new Promise(setImmediate))
        found.push((await storage.scopes(scope.tenant)).length);
      return found;
    };
    const reads = [readOn(), readOn(), readOn()];
    await storage.scopes(scope.tenant);
    await storage.dropTenant!(scope.tenant, async () => undefined);
    isErased = true;
    for (const found of await Promise.all(reads)) expect(new Set([...found, 0, 1])).toEqual(new Set([0, 1]));
    expect(storage.stats()).toMatchObject({ tables: 0, tables_open: 0, tables_damaged: 0 });
    expect(await readdir(join(directory, "table"))).toEqual([]);
    await storage.append(scoped(scope, makeRow(500)));
    expect(await loadIds(storage, scope)).toEqual([500]);
    const reopened = await fixture.reopen(storage, directory);
    expect(await loadIds(reopened, scope)).toEqual([500]);
  });
});

describe("a table with pending changes after damage", () => {
  it("gets them, and is not damaged again, if the disk was full at first", async () => {
    const directory = await fixture.directory();
    const [scope] = tenants as [(typeof tenants)[number]];
    const files = join(directory, "table", "t_tenant-0.lance");
    let storage = await fixture.open(directory);
    await storage.append(scoped(scope, makeRow(1)));
    await storage.close();
    await rename(files, join(directory, "kept"));
    await writeFile(files, "nothing");
    storage = await fixture.open(directory);
    await storage.append(scoped(scope, makeRow(2)));
    await storage.close();
    await rm(files);
    await rename(join(directory, "kept"), files);

    let isFull = true;
    const syncFile = async (path: string) => {
      if (isFull) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      await disk.syncFile(path);
    };
    storage = await fixture.open(directory, { disk: { ...disk, syncFile } });
    await expect(storage.scopes(scope.tenant)).rejects.toMatchObject({ code: "ENOSPC" });
    isFull = false;
    expect(await loadIds(storage, scope)).toEqual([1, 2]);
    expect(storage.stats()).toMatchObject({ tables_damaged: 0 });
  });
});
