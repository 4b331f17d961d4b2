import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import type { KitPlugin } from "../../kit/src/index.js";
import { calls } from "../../kit/test/kit-calls.js";
import { TestClock } from "../../kit/test/test-clock.js";
import { createLanceDbPlugin } from "../src/index.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const clock = new TestClock(1_800_000_000);
const open = new Set<MemoryPlugin>();
afterEach(async () => {
  for (const plugin of open) await plugin.close!();
  open.clear();
  await fixture.end();
});

const logged: unknown[] = [];
const log = (...line: unknown[]) => void logged.push(line);

async function start(directory: string): Promise<KitPlugin> {
  logged.length = 0;
  const plugin = createLanceDbPlugin({ kit: { preloadCount: 0, operationWindowS: 1 } });
  const logger = { debug() {}, info() {}, warn: log, error: log };
  await plugin.open!({ tier: "episodic", clock, logger, dataDirectory: directory, notify() {} });
  open.add(plugin);
  return plugin;
}

async function stop(plugin: MemoryPlugin): Promise<void> {
  open.delete(plugin);
  await plugin.close!();
}

const TENANTS = ["one", "Two", "three"];
const filesOf = (directory: string, tenant = "t_.two") => join(directory, "table", `${tenant}.lance`);
const of = (plugin: MemoryPlugin, tenant: string) => calls({ plugin, clock }, { tenant });
const contentsOf = async (plugin: MemoryPlugin, tenant: string) =>
  (await of(plugin, tenant).retrieve({ limit: 100 })).entries.map(({ content }) => content).sort();

/** Runs maintenance long enough for damaged tables to be retried. */
async function maintain(plugin: MemoryPlugin): Promise<void> {
  clock.advance(600);
  await plugin.maintain!();
}

async function stored(directory: string): Promise<void> {
  const plugin = await start(directory);
  for (const tenant of TENANTS) await of(plugin, tenant).store([{ key: "a", content: `${tenant} a` }]);
  await plugin.maintain!();
  await stop(plugin);
}

const damages: Readonly<Record<string, (files: string) => Promise<void>>> = {
  "invalid manifests": async (files) => {
    for (const name of await readdir(join(files, "_versions")))
      await writeFile(join(files, "_versions", name), "nothing");
  },
  "a file instead of the folder": async (files) => {
    await rm(files, { recursive: true });
    await writeFile(files, "nothing");
  },
};

describe("a damaged table", () => {
  for (const [name, damage] of Object.entries(damages)) {
    it(`(${name}) stops only its own tenant, also at a start`, async () => {
      const directory = await fixture.directory();
      await stored(directory);
      await damage(filesOf(directory));
      const plugin = await start(directory);
      await maintain(plugin);
      const refused = { code: "unavailable", message: expect.not.stringContaining(directory) };
      await expect(of(plugin, "Two").retrieve()).rejects.toMatchObject(refused);
      await expect(of(plugin, "Two").retrieve({}, { namespace: "**" })).rejects.toMatchObject(refused);
      await expect(of(plugin, "Two").store([{ key: "b" }])).rejects.toMatchObject(refused);
      await expect(of(plugin, "Two").forget({})).rejects.toMatchObject(refused);
      expect(plugin.stats!()).toMatchObject({ tables_damaged: 1 });
      expect(plugin.damage?.message).toMatch(
        /^tier episodic is damaged: t_\.two is damaged, .* \(1 entry\)\. Up to 1 entry /,
      );
      expect(plugin.damage?.detail).toMatchObject({ parts: "t_.two", remedy: "--accept-loss" });
      expect(JSON.stringify(logged)).toContain("t_.two");
      for (const tenant of ["one", "three"]) {
        const { store, forget } = of(plugin, tenant);
        await store([{ key: "b", content: `${tenant} s3cret` }]);
        await maintain(plugin);
        expect(await contentsOf(plugin, tenant)).toEqual([`${tenant} a`, `${tenant} s3cret`]);
        await forget({ keys: ["b"] });
      }
      for (let time = 0; time < 3; time++) await maintain(plugin);
      expect(await filesWith(directory, "s3cret")).toEqual([]);
      expect(plugin.stats!()).toMatchObject({ backlog_rows: 0 });
    });
  }

  it("gets the pending changes once it is intact again", async () => {
    const directory = await fixture.directory();
    await stored(directory);
    const before = await start(directory);
    for (const tenant of TENANTS) {
      await of(before, tenant).store([
        { key: "a", content: `${tenant} new` },
        { key: "b", content: "b" },
      ]);
    }
    // The copy is as after a kill before the flush.
    const killed = await fixture.copy(directory, (file) => !file.startsWith("lock"));
    await rename(filesOf(killed), join(killed, "kept"));
    await writeFile(filesOf(killed), "nothing");
    let plugin = await start(killed);
    await maintain(plugin);
    expect(plugin.stats!()).toMatchObject({ backlog_rows: 0, tables_damaged: 1 });
    await stop(plugin);
    plugin = await start(killed);
    await maintain(plugin);
    expect(await contentsOf(plugin, "one")).toEqual(["b", "one new"]);
    await rm(filesOf(killed));
    await rename(join(killed, "kept"), filesOf(killed));
    for (let time = 0; time < 2; time++) await maintain(plugin);
    expect(await contentsOf(plugin, "Two")).toEqual(["Two new", "b"]);
    expect((await of(plugin, "Two").retrieve({}, { namespace: "**" })).total).toBe(2);
    await stop(plugin);
    plugin = await start(killed);
    for (const tenant of TENANTS)
      expect(await contentsOf(plugin, tenant)).toEqual([`${tenant} new`, "b"].sort());
    expect(plugin.stats!()).toMatchObject({ tables_damaged: 0 });
  });

  it("that cannot be written does not stop other flushes, and loses nothing", async () => {
    const directory = await fixture.directory();
    await stored(directory);
    const plugin = await start(directory);
    for (const tenant of TENANTS) expect(await contentsOf(plugin, tenant)).toEqual([`${tenant} a`]);
    const data = join(filesOf(directory), "data");
    await rename(data, `${data}-kept`);
    await writeFile(data, "nothing");
    for (const tenant of TENANTS) await of(plugin, tenant).store([{ key: "b", content: "b" }]);
    await maintain(plugin);
    expect(plugin.stats!()).toMatchObject({ backlog_rows: 0, tables_damaged: 1 });
    await expect(of(plugin, "Two").store([{ key: "c" }])).rejects.toMatchObject({ code: "unavailable" });
    await rm(data);
    await rename(`${data}-kept`, data);
    for (let time = 0; time < 2; time++) await maintain(plugin);
    for (const tenant of TENANTS)
      expect(await contentsOf(plugin, tenant)).toEqual([`${tenant} a`, "b"].sort());
  });
});

describe("the file with the synced version of a table", () => {
  for (const text of ["", "{", "[]", '{"version":"x"}']) {
    it(`is created again if it contains ${JSON.stringify(text)}`, async () => {
      const directory = await fixture.directory();
      await stored(directory);
      await writeFile(join(filesOf(directory), "_synced.json"), text);
      const plugin = await start(directory);
      expect(await contentsOf(plugin, "Two")).toEqual(["Two a"]);
      expect(JSON.stringify(logged)).toContain("_synced.json");
    });
  }
});
