import { cp, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { testServices } from "../../kit/test/kit-fixture.js";
import { TestClock } from "../../kit/test/test-clock.js";
import { createLruPlugin } from "../src/index.js";

const HOUR = 3_600;
const NOON = 1_800_000_000;
let root: string;
let directory: string;
let opened: MemoryPlugin[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "membus-lru-"));
  directory = join(root, "working");
});

afterEach(async () => {
  for (const plugin of opened.splice(0)) await plugin.close?.();
  await rm(root, { recursive: true });
});

async function open(now: number, dataDirectory = directory) {
  const clock = new TestClock(now);
  const plugin = createLruPlugin();
  const { services, logger } = testServices({ tier: "working" }, clock);
  await plugin.open!({ ...services, dataDirectory });
  opened.push(plugin);
  const requests = calls({ plugin, clock }, { tier: "working" });
  let changes = 0;
  /** Returns the revision of a change of the key. */
  const change = async (key = "a"): Promise<number> => {
    const { receipts } = await requests.store([{ key, content: `${now} ${++changes}` }]);
    return receipts[0]!.revision;
  };
  const close = async () => {
    opened = opened.filter((other) => other !== plugin);
    await plugin.close!();
  };
  return { ...requests, plugin, clock, logger, change, close };
}

/** Copies the folder as the next process finds it after a kill. */
async function killed(): Promise<string> {
  const copy = join(root, `copy-${opened.length}`);
  await cp(directory, copy, { recursive: true, filter: (path) => basename(path) !== "lock" });
  return copy;
}

/** Returns the mark. Revisions from it on have not been assigned. */
async function mark(folder = directory): Promise<number> {
  const { before } = JSON.parse(await readFile(join(folder, "revisions"), "utf8")) as { before: number };
  return before * 1e6;
}

describe("a clock that steps back across a restart", () => {
  it("makes no revision smaller, after a close or a kill", async () => {
    const first = await open(NOON);
    await first.change();
    const last = await first.change();
    const afterKill = await open(NOON - HOUR, await killed());
    expect(await afterKill.change()).toBeGreaterThan(last);
    await first.close();
    const second = await open(NOON - HOUR);
    const next = await second.change();
    expect(next).toBeGreaterThan(last);
    await second.close();
    const third = await open(NOON - 2 * HOUR);
    expect(await third.change()).toBeGreaterThan(next);
  });

  it("makes no revision smaller that was assigned long after the start or ahead of the clock", async () => {
    const first = await open(NOON);
    first.clock.advance(HOUR);
    const late = await first.change();
    expect(late).toBeLessThan(await mark());
    first.clock.advance(-2 * HOUR);
    const ahead = await first.change();
    const second = await open(NOON, await killed());
    expect(await second.change()).toBeGreaterThan(Math.max(late, ahead));
  });

  it("does not change expiry times", async () => {
    const first = await open(NOON);
    await first.change();
    const second = await open(NOON - HOUR, await killed());
    await second.store([{ key: "b", content: "short", ttl: 5 }]);
    expect((await second.entry("b"))?.content).toBe("short");
    second.clock.advance(6);
    expect(await second.entry("b")).toBeUndefined();
  });
});

describe("the mark", () => {
  it("is above every assigned revision, however many are concurrent", async () => {
    const lru = await open(NOON);
    for (let round = 0; round < 20; round++) {
      lru.clock.advance(17);
      const keys = Array.from({ length: 50 }, (_, at) => `key ${at % 7}`);
      const revisions = await Promise.all(keys.map((key) => lru.change(key)));
      expect(Math.max(...revisions)).toBeLessThan(await mark());
    }
  });

  it("is renewed only by maintenance while the clock advances", async () => {
    const lru = await open(NOON);
    const inode = async () => (await stat(join(directory, "revisions"))).ino;
    for (let second = 0; second < 200; second++) {
      lru.clock.advance(1);
      await lru.plugin.maintain!();
      const before = await inode();
      await lru.change();
      expect(await inode()).toBe(before);
    }
    expect(await mark()).toBeGreaterThan((NOON + 200) * 1e6);
  });

  it("does not run ahead of the clock after repeated kills", async () => {
    let folder = directory;
    for (let kill = 0; kill < 30; kill++) {
      const lru = await open(NOON + kill, folder);
      await lru.change();
      await lru.plugin.maintain!();
      directory = folder;
      folder = await killed();
    }
    expect(await mark(folder)).toBeLessThan((NOON + 30 + 70) * 1e6);
  });

  it("is near the clock after a normal close", async () => {
    const lru = await open(NOON);
    await lru.change();
    await lru.close();
    expect(await mark()).toBeLessThan((NOON + 3) * 1e6);
  });

  it("is stored in a private folder that one process locks", async () => {
    await open(NOON);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, "revisions"))).mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).sort()).toEqual(["format", "lock", "revisions"]);
    await expect(open(NOON)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is created again with a warning if the file is empty or corrupt", async () => {
    await (await open(NOON)).close();
    await writeFile(join(directory, "revisions"), "");
    const { logger, change } = await open(NOON);
    expect(logger.reports).toMatchObject([{ level: "warn", fields: { path: join(directory, "revisions") } }]);
    expect(await change()).toBeLessThan(await mark());
  });
});

describe("a mark that cannot be written", () => {
  it("refuses stores once it is used up, and accepts them again once it can be written", async () => {
    const lru = await open(NOON);
    const kept = await lru.change();
    await rename(directory, `${directory}-away`);
    await lru.change();
    lru.clock.advance(HOUR);
    await expect(lru.plugin.maintain!()).rejects.toMatchObject({ code: "unavailable" });
    await expect(lru.change()).rejects.toMatchObject({ code: "unavailable", detail: { reason: "ENOENT" } });
    expect((await lru.entry("a"))?.revision).toBe(kept + 1);
    await lru.forget({ keys: ["a"] });
    await rename(`${directory}-away`, directory);
    expect(await lru.change()).toBeGreaterThan(kept);
  });
});

it("works without a folder", async () => {
  const clock = new TestClock(NOON);
  const plugin = createLruPlugin();
  await plugin.open!(testServices({ tier: "working" }, clock).services);
  const { receipts } = await calls({ plugin, clock }, { tier: "working" }).store([{ key: "a", content: 1 }]);
  expect(receipts[0]!.revision).toBe(NOON * 1e6);
});
