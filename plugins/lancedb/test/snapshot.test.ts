import { cp } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { KitPlugin } from "../../kit/src/index.js";
import { calls } from "../../kit/test/kit-calls.js";
import { openFolder, type Warning } from "./folder-fixture.js";
import { filesWith, listFiles, StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const open: MemoryPlugin[] = [];
const writers: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const writer of writers.splice(0)) await writer.stop();
  for (const plugin of open.splice(0)) await plugin.close!();
  await fixture.end();
});

async function opened(directory: string, options = {}, warnings: Warning[] = []): Promise<KitPlugin> {
  const plugin = await openFolder(directory, options, warnings);
  open.push(plugin);
  if (!(plugin instanceof KitPlugin)) throw new Error("not the kit's");
  return plugin;
}

/** Returns the contents of a snapshot's copy by key, and the warnings of its opening. */
async function contentOf(snapshot: string): Promise<{ contents: Map<string, unknown>; warnings: Warning[] }> {
  const copy = join(await fixture.directory(), "copy");
  await cp(snapshot, copy, { recursive: true });
  const warnings: Warning[] = [];
  const plugin = await opened(copy, {}, warnings);
  const contents = new Map<string, unknown>();
  for (const tenant of TENANTS) {
    const { entries } = await calls({ plugin, clock: systemClock }, { tenant }).retrieve({ limit: 1_000 });
    for (const { key, content } of entries) contents.set(`${tenant} ${Object.values(key)[0]}`, content);
  }
  await plugin.close();
  open.pop();
  return { contents, warnings };
}

const TENANTS = ["acme", "bravo"];

/** Stores, replaces and forgets one key after another until it is stopped. */
class Writer {
  /** Acknowledged contents by tenant and key. */
  readonly stored = new Map<string, string>();
  readonly forgotten = new Set<string>();
  #running: Promise<void> | undefined;
  #isStopped = false;

  start(plugin: MemoryPlugin): this {
    this.#running = this.#run(plugin);
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(plugin: MemoryPlugin): Promise<void> {
    for (let n = 0; !this.#isStopped; n++) {
      const tenant = TENANTS[n % 2]!;
      const { store, forget } = calls({ plugin, clock: systemClock }, { tenant });
      await store([{ key: `${n}`, content: `first ${n}` }]);
      this.stored.set(`${tenant} ${n}`, `first ${n}`);
      await store([{ key: `${n}`, content: `second ${n}` }]);
      this.stored.set(`${tenant} ${n}`, `second ${n}`);
      if (n % 3 > 0) continue;
      await forget({ keys: [`${n}`] });
      this.stored.delete(`${tenant} ${n}`);
      this.forgotten.add(`${tenant} ${n}`);
    }
  }
}

const BUSY = { log: { segmentBytes: 4_096 }, kit: { flushIdleMs: 1, operationWindowS: 1 } };

describe("a snapshot", () => {
  it("contains everything acknowledged before, and nothing forgotten before, under load", async () => {
    const plugin = await opened(await fixture.directory(), BUSY);
    const writer = new Writer();
    writers.push(writer.start(plugin));
    await expect.poll(() => Math.min(writer.stored.size, writer.forgotten.size)).toBeGreaterThan(0);
    await plugin.maintain();
    const [stored, forgotten] = [new Map(writer.stored), [...writer.forgotten]];
    const maintenance = plugin.maintain();
    const snapshot = join(await fixture.directory(), "snapshot");
    await plugin.snapshot(snapshot);
    await maintenance;
    const { contents, warnings } = await contentOf(snapshot);
    expect(warnings).toEqual([]);
    expect(stored.size).toBeGreaterThan(0);
    for (const [key, content] of stored) {
      // Later changes may also be in it.
      const number = key.split(" ")[1];
      const later = [content, `second ${number}`, ...(Number(number) % 3 === 0 ? [undefined] : [])];
      expect(later).toContain(contents.get(key));
    }
    for (const key of forgotten) expect(contents.has(key)).toBe(false);
    await writer.stop();
  });

  it("is not affected by later changes", async () => {
    const plugin = await opened(await fixture.directory(), BUSY);
    const { store, forget } = calls({ plugin, clock: systemClock }, { tenant: "acme" });
    await store([{ key: "a", content: "MARK-A" }]);
    const snapshot = join(await fixture.directory(), "snapshot");
    await plugin.snapshot(snapshot);
    await store([{ key: "b", content: "MARK-B" }]);
    await forget({ keys: ["a"] }, { purge: true });
    expect(await filesWith(snapshot, "MARK-B")).toEqual([]);
    expect((await contentOf(snapshot)).contents).toEqual(new Map([["acme a", "MARK-A"]]));
  });

  it("omits remains of a kill and of a repair", async () => {
    const directory = await fixture.directory();
    const plugin = await opened(directory, BUSY);
    await calls({ plugin, clock: systemClock }, { tenant: "acme" }).store([{ key: "a", content: "A" }]);
    await plugin.maintain();
    await plugin.close();
    open.pop();
    const kept = await listFiles(directory);
    for (const name of ["log/00000000000000000001.log.corrupt-1", "table/t_x.lance.foreign-1"])
      await cp(join(directory, "folder.json"), join(directory, name));
    await cp(join(directory, "folder.json"), join(directory, "table/t_acme.lance/data/.tmp1"));
    const snapshot = join(await fixture.directory(), "snapshot");
    await (await opened(directory, BUSY)).snapshot(snapshot);
    const strange = (await listFiles(snapshot)).filter((name) => !kept.includes(name));
    expect(strange.filter((name) => !/^log\/\d{20}\.log$/.test(name))).toEqual([]);
    expect((await contentOf(snapshot)).contents.get("acme a")).toBe("A");
  });
});
