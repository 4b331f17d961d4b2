import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type MemoryTier, systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { createLanceDbPlugin } from "../src/index.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
let plugin: ReturnType<typeof createLanceDbPlugin> | undefined;
afterEach(async () => {
  await plugin?.close();
  plugin = undefined;
  await fixture.end();
});

async function open(directory: string, tier: MemoryTier): Promise<void> {
  await plugin?.close();
  plugin = createLanceDbPlugin({ kit: { flushIdleMs: 5 } });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  await plugin.open({ tier, clock: systemClock, logger, dataDirectory: directory, notify() {} });
}

const as = (tier: MemoryTier, tenant: string, agent: string) =>
  calls({ plugin: plugin!, clock: systemClock }, { tier, tenant, agent });

/** Stores entries of three agents of two tenants, in storage and in the log. */
async function fill(tier: MemoryTier): Promise<void> {
  for (const [tenant, agent] of [
    ["acme", "mallory"],
    ["acme", "bob"],
    ["globex", "carol"],
  ] as const) {
    const { store } = as(tier, tenant, agent);
    for (const namespace of ["default", `of-${agent}`]) {
      const entry = (n: number) => ({ key: `${agent} ${n}`, content: `s3cret of ${agent}` });
      await store([entry(1), entry(2)], { namespace });
      await plugin!.maintain();
      await store([entry(3)], { namespace, id: `reply of ${agent} ${namespace}` });
    }
  }
}

async function count(tier: MemoryTier, tenant: string, agent: string): Promise<number> {
  return (await as(tier, tenant, agent).retrieve({}, { namespace: "**" })).total;
}

describe("the erasure of an owner", () => {
  it.each(["episodic", "semantic"] as const)("leaves nothing of an agent, %s", async (tier) => {
    const directory = await fixture.directory();
    await open(directory, tier);
    await fill(tier);
    const counts = { entries: 6, namespaces: 2, replies: 4 };
    const mallory = { tenant: "acme", agent: "mallory" };
    expect(await plugin!.eraseOwner(mallory, { dryRun: true })).toEqual(counts);
    expect(await plugin!.eraseOwner(mallory)).toEqual(counts);
    expect(await filesWith(directory, "s3cret of mallory")).toEqual([]);
    if (tier === "episodic") expect(await filesWith(directory, "mallory")).toEqual([]);
    await open(directory, tier);
    expect(await count(tier, "acme", "bob")).toBe(6);
    expect(await count(tier, "globex", "carol")).toBe(6);
    expect(await plugin!.eraseOwner(mallory)).toEqual({ entries: 0, namespaces: 0, replies: 0 });
  });

  it.each(["episodic", "semantic"] as const)("leaves nothing of a tenant, %s", async (tier) => {
    const directory = await fixture.directory();
    await open(directory, tier);
    await fill(tier);
    expect(await plugin!.eraseOwner({ tenant: "acme" })).toMatchObject({ entries: 12, replies: 8 });
    for (const text of ["acme", "mallory", "bob"]) expect(await filesWith(directory, text), text).toEqual([]);
    const { parts } = JSON.parse(await readFile(join(directory, "folder.json"), "utf8"));
    expect(parts.map(({ name }: { name: string }) => name)).toEqual(["t_globex"]);
    await open(directory, tier);
    expect(await count(tier, "globex", "carol")).toBe(6);
    await as(tier, "acme", "bob").store([{ key: "new" }]);
    await plugin!.maintain();
    await open(directory, tier);
    expect(await count(tier, "acme", "bob")).toBe(1);
  });
});
