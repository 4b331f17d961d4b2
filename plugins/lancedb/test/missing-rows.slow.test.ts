import { cp, mkdir, readdir, readFile, rm, truncate } from "node:fs/promises";
import { basename, join } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { createLanceDbPlugin, type LanceDbPluginOptions } from "../src/index.js";
import { openFolder, type Warning } from "./folder-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const open = new Set<MemoryPlugin>();
let folder: string;

const LAZY = { kit: { preloadCount: 0, flushIdleMs: 3_600_000 } } as const;

beforeEach(async () => {
  folder = await fixture.directory();
  await inFolder(folder, async (plugin) => {
    for (const tenant of ["acme", "bravo"]) for (const n of [1, 2]) await flushed(plugin, tenant, `k${n}`);
  });
});

afterEach(async () => {
  for (const plugin of open) await stop(plugin);
  await fixture.end();
});

async function start(of: string, options: LanceDbPluginOptions = {}, warnings: Warning[] = []) {
  const plugin = await openFolder(of, { ...LAZY, ...options }, warnings);
  open.add(plugin);
  return plugin;
}

async function stop(plugin: MemoryPlugin): Promise<void> {
  open.delete(plugin);
  await plugin.close!();
}

async function inFolder<T>(of: string, task: (plugin: MemoryPlugin) => Promise<T>, options = {}): Promise<T> {
  const plugin = await start(of, options);
  const result = await task(plugin);
  await stop(plugin);
  return result;
}

const as = (plugin: MemoryPlugin, tenant: string) => calls({ plugin, clock: systemClock }, { tenant });

async function flushed(plugin: MemoryPlugin, tenant: string, key: string): Promise<void> {
  await as(plugin, tenant).store([{ key, content: `${tenant} ${key}` }]);
  await plugin.maintain!();
}

async function keysOf(plugin: MemoryPlugin, tenant: string): Promise<string[]> {
  const { entries } = await as(plugin, tenant).retrieve({ limit: 100 });
  return entries.map(({ key }) => (key as { name: string }).name).sort();
}

const table = (of = folder): string => join(of, "table", "t_acme.lance");

/** Returns the manifests of a table's versions, newest first. */
async function manifestsOf(of = folder): Promise<string[]> {
  const names = await readdir(join(table(of), "_versions"));
  return names.filter((name) => name.endsWith(".manifest")).sort();
}

async function filesOf(part: string): Promise<string[]> {
  return (await readdir(join(table(), part))).map((name) => join(table(), part, name));
}

/**
 * Copies the folder so that its table has the same version with other contents: one entry is replaced, the
 * other folder adds two.
 */
async function twoWays(): Promise<string> {
  const other = join(await fixture.directory(), "other");
  await cp(folder, other, { recursive: true });
  const stored = (of: string, key: string) =>
    inFolder(of, (plugin) => as(plugin, "acme").store([{ key, content: "new" }]));
  await stored(other, "k1");
  for (const key of ["k3", "k4"]) await stored(folder, key);
  return other;
}

const refused = {
  code: "unavailable",
  detail: { reason: "storage_damaged", retry_after_ms: 10_000 },
};

/**
 * Checks that only that tenant is refused, that the log names the table, and that other tenants are served.
 */
async function expectRefused(): Promise<void> {
  const warnings: Warning[] = [];
  const plugin = await start(folder, {}, warnings);
  await expect(as(plugin, "acme").retrieve({ limit: 100 })).rejects.toMatchObject(refused);
  await expect(as(plugin, "acme").store([{ key: "new" }])).rejects.toMatchObject(refused);
  expect(await keysOf(plugin, "bravo")).toEqual(["k1", "k2"]);
  expect(plugin.stats!()).toMatchObject({ tables_damaged: 1 });
  expect(warnings).toContainEqual(
    expect.objectContaining({ fields: expect.objectContaining({ table: "t_acme" }) }),
  );
  await stop(plugin);
}

async function problems(): Promise<readonly string[]> {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  return (await createLanceDbPlugin().verify({ directory: folder, tier: "episodic", logger }))!.problems;
}

describe("missing rows of a table", () => {
  it("with its newest manifests are detected at its first use, and named by verify", async () => {
    expect(await problems()).toEqual([]);
    const [newest] = await manifestsOf();
    await rm(join(table(), "_versions", newest!));
    await expectRefused();
    expect(await problems()).toContainEqual(expect.stringMatching(/t_acme.*cannot be read/));
    expect(await inFolder(folder, (plugin) => keysOf(plugin, "acme"), { acceptLoss: true })).toEqual(["k1"]);
    expect(await inFolder(folder, (plugin) => keysOf(plugin, "acme"))).toEqual(["k1"]);
    expect(await problems()).toEqual([]);
  });

  it("with older manifests under the same names are detected by their count", async () => {
    const other = await twoWays();
    expect(await manifestsOf(other)).toEqual(await manifestsOf());
    for (const part of ["_versions", "data"]) {
      await cp(join(table(other), part), join(table(), part), { recursive: true });
    }
    await expectRefused();
    expect(await problems()).toContainEqual("t_acme has 2 rows, expected 4");
    expect(await inFolder(folder, (plugin) => keysOf(plugin, "acme"), { acceptLoss: true })).toEqual([
      "k1",
      "k2",
    ]);
    expect(await inFolder(folder, (plugin) => keysOf(plugin, "acme"))).toEqual(["k1", "k2"]);
    expect(await problems()).toEqual([]);
  });

  it("with the whole table replaced by one of the same version are detected at the start", async () => {
    const other = await twoWays();
    await rm(table(), { recursive: true });
    await cp(table(other), table(), { recursive: true });
    await expect(start(folder)).rejects.toMatchObject({
      message: expect.stringContaining("t_acme is from another time: it has 2 entries, expected 4"),
      detail: { reason: "folder_incomplete", parts: "t_acme", remedy: "--accept-loss" },
    });
    expect(await problems()).toContainEqual(expect.stringMatching(/t_acme is from another time/));
    expect(await inFolder(folder, (plugin) => keysOf(plugin, "acme"), { acceptLoss: true })).toEqual([
      "k1",
      "k2",
    ]);
    expect(await inFolder(folder, (plugin) => keysOf(plugin, "acme"))).toEqual(["k1", "k2"]);
    expect(await problems()).toEqual([]);
  });

  it.each([
    ["data", (path: string) => rm(path)],
    ["data", (path: string) => truncate(path, 100)],
    ["_deletions", (path: string) => rm(path)],
  ])("with a file of %s are detected when it is read", async (part, damage) => {
    await inFolder(folder, async (plugin) => {
      await as(plugin, "acme").store(["a", "b", "c"].map((key) => ({ key, content: key })));
      await plugin.maintain!();
      await as(plugin, "acme").forget({ keys: ["b"] });
    });
    for (const path of await filesOf(part)) await damage(path);
    await expectRefused();
    expect(await problems()).not.toEqual([]);
  });

  it("with a data file are detected when a tenant's quota is counted first", async () => {
    // LanceDB keeps the last 4 KiB of each file in RAM, and so small files completely.
    const large = Array.from({ length: 500 }, (_, n) => ({ key: `k${n}`, content: n }));
    await inFolder(folder, async (plugin) => {
      await as(plugin, "acme").store(large);
      await plugin.maintain!();
    });
    const plugin = await start(folder, { quotas: { tenant: { entries: 1_000 } } });
    expect(await keysOf(plugin, "acme")).toHaveLength(100);
    for (const path of await filesOf("data")) await rm(path);
    await expect(as(plugin, "acme").store([{ key: "new" }])).rejects.toMatchObject(refused);
    expect(plugin.stats!()).toMatchObject({ tables_damaged: 1 });
  });
});

describe("a table opened with missing rows", () => {
  it("is opened again after a kill before the folder was written", async () => {
    const [newest] = await manifestsOf();
    await rm(join(table(), "_versions", newest!));
    const killed = join(await fixture.directory(), "killed");
    const plugin = await start(folder, { acceptLoss: true });
    expect(await keysOf(plugin, "acme")).toEqual(["k1"]);
    await cp(folder, killed, { recursive: true, filter: (path) => basename(path) !== "lock" });
    expect(await inFolder(killed, (again) => keysOf(again, "acme"))).toEqual(["k1"]);
  });
});

describe("a table with changed rows since the folder was written", () => {
  /**
   * Returns a copy as a kill leaves it between the writes of the tables and of the folder, after failed
   * flushes.
   */
  async function cutShort(from: string): Promise<string> {
    const killed = join(await fixture.directory(), "killed");
    const plugin = await start(from);
    await as(plugin, "acme").store(["k1", "k3"].map((key) => ({ key, content: "new" })));
    await as(plugin, "acme").forget({ keys: ["k2"] });
    await mkdir(join(from, "folder.json.new"));
    for (let time = 0; time < 2; time++) {
      await expect(plugin.maintain!()).rejects.toThrow(/folder\.json\.new/);
    }
    const isLeft = (path: string) => !["lock", "folder.json.new"].includes(basename(path));
    await cp(from, killed, { recursive: true, filter: isLeft });
    await rm(join(from, "folder.json.new"), { recursive: true });
    await stop(plugin);
    return killed;
  }

  it("is accepted, however often and after any maintenance", async () => {
    for (let time = 0; time < 3; time++) {
      folder = await cutShort(folder);
      const { contentId } = JSON.parse(await readFile(join(table(), "_synced.json"), "utf8"));
      expect(await readFile(join(folder, "folder.json"), "utf8")).not.toContain(contentId);
      expect(await problems()).toEqual([]);
    }
    const keys = () => inFolder(folder, (plugin) => keysOf(plugin, "acme"));
    expect(await keys()).toEqual(["k1", "k3"]);
    expect(await problems()).toEqual([]);
    await inFolder(folder, async (plugin) => {
      for (let time = 0; time < 3; time++) await plugin.maintain!();
    });
    expect(await keys()).toEqual(["k1", "k3"]);
    expect(await problems()).toEqual([]);
  });

  it("is detected if it is from another time", async () => {
    const other = await twoWays();
    folder = await cutShort(folder);
    await rm(table(), { recursive: true });
    await cp(table(await cutShort(other)), table(), { recursive: true });
    await expect(start(folder)).rejects.toThrow(/t_acme is from another time/);
  });
});
