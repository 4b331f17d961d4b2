import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import { type MemoryPlugin, pluginProblem } from "@membus/protocol/plugin";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { forgetRequest, scope, selector, storeRequest } from "../../kit/test/kit-requests.js";
import { createReadOnlyLanceDbPlugin } from "../src/index.js";
import { countOf, killedFolder, openFolder, segmentsOf } from "./folder-fixture.js";
import { hashOf } from "./hash-of-folder.js";
import { mountSmallDisk, unmount } from "./small-disk.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const { TMPDIR } = process.env;
const open: MemoryPlugin[] = [];
afterEach(async () => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  for (const plugin of open.splice(0)) await plugin.close!();
  await fixture.end();
});

async function openReadOnly(directory: string): Promise<MemoryPlugin> {
  const plugin = await openFolder(directory, {}, [], createReadOnlyLanceDbPlugin);
  open.push(plugin);
  return plugin;
}

/** Counts the views of this process. */
async function viewCounter(): Promise<() => Promise<number>> {
  const temporary = await fixture.directory();
  process.env.TMPDIR = temporary;
  return async () => (await readdir(temporary)).filter((name) => name.startsWith("membus-view-")).length;
}

/** Creates a folder as a kill leaves it: some entries in the tables, some only in the log. */
async function folder(): Promise<string> {
  const [running, killed] = [await fixture.directory(), await fixture.directory()];
  await killedFolder(running, killed);
  return killed;
}

describe("a folder that is served read-only", () => {
  it("answers reads, refuses writes, and is unchanged including its times", async () => {
    const directory = await folder();
    const before = await hashOf(directory);
    const viewCount = await viewCounter();
    const { pid: ended } = spawnSync(process.execPath, ["--version"]);
    await mkdir(join(process.env.TMPDIR!, `membus-view-${ended}-killed`));
    const plugin = await openReadOnly(directory);
    expect(await viewCount()).toBe(1);
    expect(await countOf(plugin)).toEqual([20, 20]);
    expect(pluginProblem(plugin)).toBeUndefined();
    expect(await plugin.onAgents!({ tenant: "acme", limit: 10 })).toEqual({ agents: ["alice"] });
    const { retrieve, entry } = calls({ plugin, clock: systemClock }, { tenant: "acme" });
    expect((await entry("stored 3"))?.content).toBe("x".repeat(5_000));
    expect((await retrieve({ query: "logged" })).entries.length).toBeGreaterThan(0);
    const op = { at: systemClock.now(), agent: "alice", tenant: "acme" };
    const refused = { code: "unsupported", detail: { reason: "read_only" } };
    const place = { tenant: "acme", agent: "alice" };
    const stored = plugin.onStore(scope(place), storeRequest([{ key: "a" }], op));
    await expect(stored).rejects.toMatchObject(refused);
    const forgotten = plugin.onForget(selector(place), forgetRequest({ keys: ["stored 3"] }, op));
    await expect(forgotten).rejects.toMatchObject(refused);
    expect(plugin.stats!()).toMatchObject({ read_only: 1, tables: 2 });
    expect(await plugin.onStatus({ ...place, id: "unknown" })).toBeUndefined();
    await plugin.maintain?.();
    await open.pop()!.close!();
    expect(await hashOf(directory)).toBe(before);
    expect(await viewCount()).toBe(0);
  });

  it("may be served by several processes, but not while a process writes to it", async () => {
    const directory = await folder();
    for (let n = 0; n < 2; n++) expect(await countOf(await openReadOnly(directory))).toEqual([20, 20]);
    for (const plugin of open.splice(0)) await plugin.close!();
    open.push(await openFolder(directory));
    await expect(openReadOnly(directory)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("in use"),
    });
  });

  it("may have read-only modes, and may be missing", async () => {
    const directory = await folder();
    await chmod(directory, 0o500);
    for (const name of await segmentsOf(directory)) await chmod(join(directory, "log", name), 0o400);
    expect(await countOf(await openReadOnly(directory))).toEqual([20, 20]);
    const missing = join(await fixture.directory(), "missing");
    expect(await countOf(await openReadOnly(missing))).toEqual([0, 0]);
    await expect(readdir(missing)).rejects.toThrow("ENOENT");
    await chmod(directory, 0o700);
  });
});

const disk = mountSmallDisk(16 * 1024 * 1024);
afterAll(() => {
  if (disk !== undefined) unmount(disk);
});

describe.runIf(disk !== undefined)("a read-only file system (if file systems can be mounted)", () => {
  it("is detected, and is served read-only", async () => {
    const directory = join(disk!, "tier");
    const plugin = await openFolder(directory, { kit: { diskReserveBytes: 0 } });
    await calls({ plugin, clock: systemClock }, { tenant: "acme" }).store([{ key: "a" }]);
    await plugin.close!();
    execFileSync("mount", ["-o", "remount,ro", disk!]);
    await expect(openFolder(directory)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("--read-only"),
    });
    expect(await countOf(await openReadOnly(directory))).toEqual([1, 0]);
  });
});
