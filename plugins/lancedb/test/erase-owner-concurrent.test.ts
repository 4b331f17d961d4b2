import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryChange } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { createLanceDbPlugin } from "../src/index.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
let plugin: ReturnType<typeof createLanceDbPlugin> | undefined;
/** Events that the host received. */
let received: { action: MemoryChange["action"]; agent: string }[] = [];
afterEach(async () => {
  await plugin?.close();
  plugin = undefined;
  received = [];
  await fixture.end();
});

async function open(directory: string): Promise<void> {
  await plugin?.close();
  plugin = createLanceDbPlugin({ kit: { flushIdleMs: 5 } });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const notify = ({ action }: MemoryChange, agent: string) => received.push({ action, agent });
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

describe("the erasure of an owner during requests", () => {
  it("erases earlier entries, and keeps concurrent overwrites after a restart", async () => {
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

  it("keeps the table of a tenant with concurrent stores", async () => {
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

  it("completes an announced erasure at the next opening, and before a close", async () => {
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

  it("reports the entries as forgotten by their authors", async () => {
    await open(await fixture.directory());
    await as("mallory").store([{ key: "old" }]);
    await plugin!.eraseOwner({ tenant: "acme", agent: "mallory" });
    expect(received).toEqual([{ action: "forgotten", agent: "mallory" }]);
  });
});
