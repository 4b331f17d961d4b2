import { statSync } from "node:fs";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FaultyLogFiles } from "../../disk/test/faulty-log-file.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

const MIB = 1024 * 1024;
const full = { code: "memory_full", retryable: false, detail: { limit: "disk" } };

/** Returns a tier with a log that has no space while the complete reserve exists, once `isFull`. */
async function smallDisk() {
  const files = new FaultyLogFiles();
  const disk = { isFull: false };
  const kit = await TestKit.open({ openFile: files.openFile, options: { diskReserveBytes: 3 * MIB } });
  const reserve = () => join(kit.directory, "reserve");
  const sizeOf = () => statSync(reserve(), { throwIfNoEntry: false })?.size ?? 0;
  files.code = "ENOSPC";
  files.failsWhile = () => disk.isFull && sizeOf() > MIB;
  await kit.plugin.maintain();
  expect(sizeOf()).toBe(3 * MIB);
  return { kit, disk, reserve, sizeOf, ...calls(kit) };
}

describe("a full disk", () => {
  it("refuses stores, serves reads and forgets, and accepts stores again after a forget", async () => {
    const { kit, disk, sizeOf, store, forget, retrieve } = await smallDisk();
    await store([{ key: "a" }, { key: "b" }, { key: "c" }]);
    disk.isFull = true;
    await expect(store([{ key: "d" }], { id: "one" })).rejects.toMatchObject(full);
    expect(sizeOf()).toBe(3 * MIB);
    expect(await forget({ keys: ["a", "b"] })).toMatchObject({ deleted: 2 });
    expect(sizeOf()).toBe(MIB);
    expect(kit.plugin.stats().disk_full).toBe(1);
    // The log could be written, but the reserve is not for stores.
    await expect(store([{ key: "d" }], { id: "one" })).rejects.toMatchObject(full);
    expect((await retrieve()).total).toBe(1);
    disk.isFull = false;
    await kit.plugin.maintain();
    expect([sizeOf(), kit.plugin.stats().disk_full]).toEqual([3 * MIB, 0]);
    expect((await store([{ key: "d" }], { id: "one" })).receipts[0]!.outcome).toBe("created");
    await kit.crash();
    expect((await retrieve()).total).toBe(2);
  });

  it("opens after a kill during the creation of the reserve", async () => {
    const { kit, reserve, sizeOf, store } = await smallDisk();
    await truncate(reserve(), 2 * MIB);
    await kit.crash();
    expect(sizeOf()).toBe(2 * MIB);
    expect((await store([{ key: "a" }])).receipts[0]!.outcome).toBe("created");
    await kit.plugin.maintain();
    expect(sizeOf()).toBe(3 * MIB);
  });

  it("completes a forget in slices like a retry", async () => {
    const { disk, store, forget, retrieve } = await smallDisk();
    for (let n = 0; n < 3; n++) {
      await store(Array.from({ length: 1_000 }, (_, at) => ({ key: `${n} ${at}` })));
    }
    disk.isFull = true;
    expect(await forget({}, { id: "all" })).toMatchObject({ deleted: 3_000 });
    expect(await forget({}, { id: "all" })).toMatchObject({ deleted: 3_000 });
    expect((await retrieve()).total).toBe(0);
  });
});
