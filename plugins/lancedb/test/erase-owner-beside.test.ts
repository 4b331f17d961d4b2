import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type MemoryChange, systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { createLanceDbPlugin } from "../src/index.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
let plugin: ReturnType<typeof createLanceDbPlugin> | undefined;
/** Whose events the host heard of. */
let heard: { action: MemoryChange["action"]; agent: string }[] = [];
afterEach(async () => {
  await plugin?.close();
  plugin = undefined;
  heard = [];
  await fixture.end();
});

async function open(directory: string): Promise<void> {
  await plugin?.close();
  plugin = createLanceDbPlugin({ kit: { flushIdleMs: 5 } });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const notify = ({ action }: MemoryChange, agent: string) => heard.push({ action, agent });
  await plugin.open({ tier: "episodic", clock: systemClock, logger, dataDirectory: directory, notify });
}

const as = (agent: string) => calls({ plugin: plugin!, clock: systemClock }, { tenant: "acme", agent });

async function contents(agent: string): Promise<unknown[]> {
  const { entries } = await as(agent).retrieve({ limit: 10_000 });
  return entries.map(({ content }) => content);
}

async function erasingIn(directory: string): Promise<unknown> {
  return JSON.parse(await readFile(join(directory, "folder.json"), "utf8")).erasing;
}

describe("the erasure of an owner, beside requests", () => {
  it("takes what was stored before, and what is overwritten meanwhile is the same after a restart", async () => {
    const directory = await fixture.directory();
    await open(directory);
    const keys = Array.from({ length: 4_500 }, (_, n) => `${n}`);
    for (let from = 0; from < keys.length; from += 500) {
      const batch = keys.slice(from, from + 500);
      await as("mallory").store(batch.map((key) => ({ key, content: "s3cret before" })));
    }
    const erased = plugin!.eraseOwner({ tenant: "acme", agent: "mallory" });
    let isOver = false;
    void erased.finally(() => {
      isOver = true;
    });
    for (let from = keys.length; !isOver && from > 0; from -= 20) {
      const batch = keys.slice(from - 20, from);
      await Promise.all(batch.map((key) => as("mallory").store([{ key, content: `later ${key}` }])));
      await as("bob").store([{ key: `${from}`, content: `of bob ${from}` }]);
    }
    expect(await erased).toMatchObject({ namespaces: 1 });
    expect(await filesWith(directory, "s3cret before")).toEqual([]);
    const [mallorys, bobs] = [await contents("mallory"), await contents("bob")];
    await open(directory);
    expect((await contents("mallory")).sort()).toEqual(mallorys.sort());
    expect((await contents("bob")).sort()).toEqual(bobs.sort());
  });

  it("leaves the table of a tenant in which something was stored meanwhile", async () => {
    const directory = await fixture.directory();
    await open(directory);
    await as("mallory").store([{ key: "old", content: "s3cret before" }]);
    await plugin!.maintain();
    const erased = plugin!.eraseOwner({ tenant: "acme" });
    let stored = 0;
    let isOver = false;
    void erased.finally(() => {
      isOver = true;
    });
    for (; !isOver; stored++) await as("bob").store([{ key: `${stored}`, content: `later ${stored}` }]);
    await erased;
    expect(await filesWith(directory, "s3cret before")).toEqual([]);
    const left = await contents("bob");
    expect(left).toContain(`later ${stored - 1}`);
    await open(directory);
    expect((await contents("bob")).sort()).toEqual(left.sort());
  });

  it("ends what was announced at the next opening, and before it closes", async () => {
    const directory = await fixture.directory();
    await open(directory);
    await as("mallory").store([{ key: "old", content: "s3cret before" }]);
    await plugin!.announceErasure({ tenant: "acme", agent: "mallory" });
    expect(await contents("mallory")).toHaveLength(1);
    await open(directory);
    expect(await filesWith(directory, "s3cret before")).toEqual([]);
    expect(await erasingIn(directory)).toEqual([]);

    await as("mallory").store([{ key: "new", content: "s3cret again" }]);
    const erased = plugin!.eraseOwner({ tenant: "acme", agent: "mallory" });
    await plugin!.close();
    expect(await erasingIn(directory)).toEqual([]);
    expect(await erased).toMatchObject({ entries: 1 });
  });

  it("tells of the entries as forgotten, as if their authors had", async () => {
    await open(await fixture.directory());
    await as("mallory").store([{ key: "old" }]);
    await plugin!.eraseOwner({ tenant: "acme", agent: "mallory" });
    expect(heard).toEqual([{ action: "forgotten", agent: "mallory" }]);
  });
});
