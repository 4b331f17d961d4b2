import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { type MemoryTier, TIERS } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesWith } from "../../../plugins/lancedb/test/storage-fixture.js";
import { resultOf } from "../run-cli.js";
import { RunningHost } from "../running-host.js";

interface Report {
  readonly tiers: { tier: MemoryTier; entries: number; erased_at?: number }[];
}

const host = new RunningHost();
let client: MemoryClient;
beforeAll(async () => {
  await host.start();
  client = await MemoryClient.connect({ servers: host.url, agent: "alice" });
});
afterAll(async () => {
  await client.close();
  await host.stop();
});

const command = (...args: string[]) => ["admin", "erase", "--data", host.data, ...args];

/** Stores entries one after the other, in all tiers in turn. */
class Writer {
  readonly acknowledged: string[] = [];
  #isStopped = false;
  readonly #ended: Promise<void>;

  constructor(
    memory: AgentMemory,
    readonly word: string,
  ) {
    this.#ended = this.#run(memory);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
  }

  async reached(count: number): Promise<void> {
    while (this.acknowledged.length < count && !this.#isStopped) await setTimeout(5);
  }

  async #run(memory: AgentMemory): Promise<void> {
    for (let n = 0; !this.#isStopped; n++) {
      const content = `${this.word} ${n}`;
      await memory.store({ key: content, content, tier: TIERS[n % TIERS.length]! });
      this.acknowledged.push(content);
    }
  }
}

/** Returns the texts of an agent in a tier that begin with a word. */
async function found(agent: string, word: string, tiers: readonly MemoryTier[] = TIERS): Promise<string[]> {
  const contents: string[] = [];
  for (const tier of tiers) {
    for await (const { content } of client.forAgent(agent).entries({ tier }))
      contents.push(content as string);
  }
  return contents.filter((content) => content.startsWith(word)).sort();
}

async function erasing(tier: MemoryTier): Promise<unknown[]> {
  return JSON.parse(await readFile(join(host.data, tier, "folder.json"), "utf8")).erasing;
}

describe("membus admin erase with a running host", () => {
  it("counts and erases an agent in every tier", async () => {
    for (const agent of ["mallory", "bob"]) {
      for (const tier of TIERS)
        await client
          .forAgent(agent)
          .store({ key: `${tier} of ${agent}`, content: `words of ${agent}`, tier });
    }
    const counted = { entries: 1, namespaces: 1, replies: 1 };
    const dry = await host.json(command("--agent", "mallory", "--dry-run"));
    expect(dry).toMatchObject({ dry_run: true, tiers: TIERS.map((tier) => ({ tier, ...counted })) });
    expect(await found("mallory", "words of mallory")).toHaveLength(3);

    const done = await host.cli(command("--agent", "mallory", "--yes"));
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toContain("erasing agent mallory of tenant default");
    expect(done.stdout.match(/1 entries in 1 namespaces, 1 cached replies, erased at/g)).toHaveLength(3);
    expect(await found("mallory", "words of mallory")).toEqual([]);
    expect(await filesWith(host.data, "mallory")).toEqual([]);
    expect(await found("bob", "words of bob")).toHaveLength(3);
  });

  it("erases entries acknowledged before it began, of a writing agent, and nothing of another agent", async () => {
    const bob = new Writer(client.forAgent("bob"), "bobs");
    const before = new Writer(client.forAgent("mallory"), "s3cret");
    await before.reached(150);
    await before.stop();
    const later = new Writer(client.forAgent("mallory"), "later");
    await later.reached(10);
    const { tiers } = await host.json<Report>(command("--agent", "mallory", "--yes"));
    const erased = tiers.reduce((sum, { entries }) => sum + entries, 0);
    expect(erased).toBeGreaterThanOrEqual(before.acknowledged.length);
    expect(await filesWith(host.data, "s3cret")).toEqual([]);
    expect(await found("mallory", "s3cret")).toEqual([]);
    await Promise.all([bob.stop(), later.stop()]);
    expect(await found("bob", "bobs")).toEqual([...bob.acknowledged].sort());
    await host.restart();
    const durable = bob.acknowledged.filter((_, n) => TIERS[n % TIERS.length] !== "working");
    expect(await found("bob", "bobs", ["episodic", "semantic"])).toEqual(durable.sort());
    expect(await found("mallory", "s3cret")).toEqual([]);
    expect(await filesWith(host.data, "s3cret")).toEqual([]);
  });

  it("continues in every tier when a host that was killed during the erasure is restarted", async () => {
    const renamed = { to: "semantic/folder.json", replacing: '"erasing":[{' };
    await host.restart([], { fileChange: 1, renamed });
    const mallory = client.forAgent("mallory");
    const entries = Array.from({ length: 300 }, (_, n) => ({ key: `${n}`, content: `s3cret ${n}` }));
    for (const tier of ["episodic", "semantic"] as const)
      await mallory.store(entries.map((entry) => ({ ...entry, tier })));
    const erasure = resultOf(host.spawn(command("--agent", "mallory", "--yes")));
    await host.ended();
    const { code, stderr } = await erasure;
    expect(await erasing("semantic")).toEqual([{ tenant: "default", agent: "mallory" }]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("run the same command again")]);
    await host.restart();
    expect([await erasing("episodic"), await erasing("semantic")]).toEqual([[], []]);
    expect(await filesWith(host.data, "s3cret")).toEqual([]);
    const { tiers } = await host.json<Report>(command("--agent", "mallory", "--yes"));
    expect(tiers.map(({ entries }) => entries)).toEqual([0, 0, 0]);
  });
});
