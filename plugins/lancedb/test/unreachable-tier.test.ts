import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { KitPlugin } from "@membus/plugin-kit";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { TestClock } from "../../kit/test/test-clock.js";
import { createLanceDbPlugin, createLanceStorage } from "../src/index.js";
import { FaultyStore } from "./faulty-store.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const clock = new TestClock(1_800_000_000);
const open = new Set<MemoryPlugin>();
afterEach(async () => {
  for (const plugin of open) await plugin.close!();
  open.clear();
  await fixture.end();
});

const logger = { debug() {}, info() {}, warn() {}, error() {} };

async function start(plugin: MemoryPlugin, directory: string): Promise<MemoryPlugin> {
  await plugin.open!({ tier: "episodic", clock, logger, dataDirectory: directory, notify() {} });
  open.add(plugin);
  return plugin;
}

function pluginOn(store: FaultyStore): MemoryPlugin {
  return new KitPlugin({
    ...{ name: "faulty", version: "0.1.0", options: { preloadCount: 0 } },
    storage: (place) => createLanceStorage({ ...place, store }),
  });
}

const lost = {
  points: ["openTable", "add", "delete", "settle"],
  afterEffect: false,
  error: Object.assign(new Error("too many open files"), { code: "EMFILE" }),
} as const;
const UNREACHABLE = {
  code: "unavailable",
  detail: { reason: "storage_unreachable", retry_after_ms: 1000 },
};

it("stores on while its tables cannot be reached, moves no marker, and writes everything once later", async () => {
  const directory = await fixture.directory();
  const of = (plugin: MemoryPlugin, tenant: string) => calls({ plugin, clock }, { tenant });
  const contents = async (plugin: MemoryPlugin, tenant: string) =>
    (await of(plugin, tenant).retrieve({ limit: 10 })).entries.map(({ content }) => content).sort();
  const before = await start(createLanceDbPlugin(), directory);
  for (const tenant of ["one", "two"]) await of(before, tenant).store([{ key: "a", content: "a" }]);
  open.delete(before);
  await before.close!();

  const store = new FaultyStore(directory);
  const plugin = await start(pluginOn(store), directory);
  expect(await contents(plugin, "one")).toEqual(["a"]);
  const { flushed_seq: flushedSeq } = plugin.stats!();
  expect(plugin.stats!()).toMatchObject({ unreachable_reads: 0, unreachable_writes: 0 });
  store.fault = lost;
  await of(plugin, "one").store([{ key: "b", content: "b" }]);
  await of(plugin, "one").forget({ keys: ["a"] });
  await expect(of(plugin, "two").retrieve()).rejects.toMatchObject(UNREACHABLE);
  await expect(of(plugin, "two").store([{ key: "b" }])).rejects.toMatchObject(UNREACHABLE);
  clock.advance(60);
  await expect(plugin.maintain!()).rejects.toMatchObject(UNREACHABLE);
  expect(await contents(plugin, "one")).toEqual(["b"]);
  expect(plugin.stats!()).toMatchObject({ tables_damaged: 0, flushed_seq: flushedSeq });
  // Both requests of the other tenant read. Maintenance flushes, maybe after a flush in the background.
  const { unreachable_reads: reads, unreachable_writes: writes } = plugin.stats!();
  expect([reads, Number(writes) > 0]).toEqual([2, true]);
  const killed = await fixture.copy(directory, (file) => !file.startsWith("lock"));

  store.fault = undefined;
  await of(plugin, "two").store([{ key: "b", content: "b" }]);
  for (let time = 0; time < 3; time++) {
    clock.advance(60);
    await plugin.maintain!();
  }
  expect(plugin.stats!()).toMatchObject({ backlog_rows: 0, tables_damaged: 0 });
  expect([await contents(plugin, "one"), await contents(plugin, "two")]).toEqual([["b"], ["a", "b"]]);
  expect((await readdir(join(directory, "table"))).sort()).toEqual(["t_one.lance", "t_two.lance"]);

  const after = await start(createLanceDbPlugin(), killed);
  expect([await contents(after, "one"), await contents(after, "two")]).toEqual([["b"], ["a"]]);
});
