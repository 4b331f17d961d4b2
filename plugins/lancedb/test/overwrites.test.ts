import { cp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openFolder } from "./folder-fixture.js";
import { bytesOnDisk, overwrite } from "./overwrites.js";
import { StorageFixture } from "./storage-fixture.js";

const MIB = 1024 * 1024;
/** Documented maximum size of a table in addition to twice its live rows: 16 MiB. */
const TABLE_BYTES_MAX = 16 * MIB;

const fixture = new StorageFixture();
const open: MemoryPlugin[] = [];
afterEach(async () => {
  for (const plugin of open.splice(0)) await plugin.close!();
  await fixture.end();
});

async function openAt(directory: string): Promise<MemoryPlugin> {
  const plugin = await openFolder(directory, { log: { segmentBytes: MIB } });
  open.push(plugin);
  return plugin;
}

describe("overwritten entries", () => {
  it("leave only their replies and two segments in the log", async () => {
    const directory = await fixture.directory();
    const plugin = await openAt(directory);
    await overwrite(plugin, { count: 100, contentBytes: 65_536, maintainEvery: 10 });
    const { log } = await bytesOnDisk(directory);
    expect(log).toBeLessThan(2 * MIB + 100 * 1_024);
  });

  it("leave at most 16 MiB and twice the live rows in a table, also after a restart", async () => {
    const directory = await fixture.directory();
    const round = { count: 24, keyCount: 4, contentBytes: 500_000, maintainEvery: 1 };
    const live = 4 * 500_000;
    for (let start = 0; start < 2; start++) {
      const plugin = await openAt(directory);
      await overwrite(plugin, round);
      await plugin.maintain!();
      const { table } = await bytesOnDisk(directory);
      expect(table).toBeLessThan(TABLE_BYTES_MAX + 2 * live);
      await open.pop()!.close!();
    }
    const plugin = await openAt(directory);
    await overwrite(plugin, { ...round, count: 1 });
    await plugin.maintain!();
    const { table } = await bytesOnDisk(directory);
    expect(table).toBeLessThan(TABLE_BYTES_MAX + 2 * live);
  });

  it("are not needed if a folder has lost its manifest: no entry is lost or duplicated", async () => {
    const directory = await fixture.directory();
    const first = await openAt(directory);
    const { store } = calls({ plugin: first, clock: systemClock });
    await store([{ key: "small", content: "small" }]);
    const [latest] = await overwrite(first, { count: 40, contentBytes: 65_536, maintainEvery: 10 });
    const replied = await store([{ key: "last", content: "last" }], { id: "last" });
    const copy = await fixture.directory();
    await cp(directory, copy, { recursive: true, filter: (path) => basename(path) !== "lock" });
    await rm(join(copy, "folder.json"));
    const {
      retrieve,
      entry,
      store: overwriteAgain,
    } = calls({ plugin: await openAt(copy), clock: systemClock });
    expect((await retrieve()).total).toBe(3);
    expect((await entry("k0"))?.content).toBe(latest);
    expect((await entry("small"))?.content).toBe("small");
    expect(await overwriteAgain([{ key: "last", content: "last" }], { id: "last" })).toEqual(replied);
  });
});
