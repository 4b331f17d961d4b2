import { once } from "node:events";
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { delay, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endChild, lineOf, runCli, spawnCli } from "../run-cli.js";
import { RunningHost } from "../running-host.js";

/** Each backup is restored and served by a second host. */
const BACKUPS = 3;
/** Batches that each writer completes before each backup. */
const BATCHES = 10;
/** File changes at which a backup kills itself. */
const FILE_CHANGES = [1, 6, 12];
/** Pause between writes, so that the data can be read several times. */
const PAUSE_MS = 20;
const AGENTS = ["alice", "bob"];
const TIERS = ["episodic", "semantic"] as const;

/**
 * A writer of one agent in one tier. It records which entries are stored and which are forgotten, and never
 * reuses a forgotten key.
 */
class Writer {
  readonly stored = new Map<string, string>();
  readonly forgotten = new Set<string>();
  readonly #client: MemoryClient;
  readonly #agent: string;
  readonly #tier: (typeof TIERS)[number];
  #batchCount = 0;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(client: MemoryClient, agent: string, tier: (typeof TIERS)[number]) {
    this.#client = client;
    this.#agent = agent;
    this.#tier = tier;
  }

  start(): void {
    this.#isStopped = false;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Resolves when `count` more batches are complete. Rejects if the writer has failed. */
  async progress(count: number): Promise<void> {
    const goal = this.#batchCount + count;
    while (this.#batchCount < goal) await Promise.race([delay(systemClock, 10), this.#running]);
  }

  async #run(): Promise<void> {
    const tier = this.#tier;
    while (!this.#isStopped) {
      const n = this.#batchCount;
      const keys = Array.from({ length: 20 }, (_, index) => `${this.#agent}-${n * 20 + index}`);
      await this.#client.store(keys.map((key) => ({ key, content: `first ${key}`, tier })));
      for (const key of keys) this.stored.set(key, "first");
      const again = keys.slice(0, 5);
      await this.#client.store(again.map((key) => ({ key, content: `second ${key}`, tier })));
      for (const key of again) this.stored.set(key, "second");
      const deleted = keys.slice(3, 8);
      await this.#client.forget({ keys: deleted, tier });
      for (const key of deleted) this.stored.delete(key);
      for (const key of deleted) this.forgotten.add(key);
      this.#batchCount++;
      await delay(systemClock, PAUSE_MS);
    }
  }
}

const host = new RunningHost();
const clients: MemoryClient[] = [];
const writers: { agent: string; tier: (typeof TIERS)[number]; writer: Writer }[] = [];

beforeAll(async () => {
  await host.start();
  for (const agent of AGENTS) {
    const client = await MemoryClient.connect({ servers: host.url, agent });
    clients.push(client);
    for (const tier of TIERS) writers.push({ agent, tier, writer: new Writer(client, agent, tier) });
  }
});

afterAll(async () => {
  await stop();
  await Promise.all(clients.map((client) => client.close()));
  await host.stop();
});

function start(): void {
  for (const { writer } of writers) writer.start();
}

/** Resolves when each writer has completed `batches` more batches. */
async function progress(batches: number): Promise<void> {
  await Promise.all(writers.map(({ writer }) => writer.progress(batches)));
}

async function stop(): Promise<void> {
  await Promise.all(writers.map(({ writer }) => writer.stop()));
}

interface WriterRecord {
  readonly agent: string;
  readonly tier: (typeof TIERS)[number];
  readonly stored: ReadonlyMap<string, string>;
  readonly forgotten: ReadonlySet<string>;
}

function writerRecords(): WriterRecord[] {
  return writers.map(({ agent, tier, writer: { stored, forgotten } }) => {
    return { agent, tier, stored: new Map(stored), forgotten: new Set(forgotten) };
  });
}

/** Starts a second host on a data folder, and expects everything acknowledged before the backup began. */
async function expectServed(data: string, before: readonly WriterRecord[]): Promise<void> {
  const up = spawnCli(["up", "--data", data, "--prefix", "restored"], { url: host.url, cwd: host.directory });
  try {
    await lineOf(up, /^membus is listening on/);
    for (const agent of AGENTS) {
      const client = await MemoryClient.connect({ servers: host.url, agent, prefix: "restored" });
      for (const one of before.filter((each) => each.agent === agent)) await expectRecord(client, one);
      await client.close();
    }
  } finally {
    await endChild(up, "SIGTERM");
  }
}

async function expectRecord(
  client: MemoryClient,
  { agent, tier, stored, forgotten }: WriterRecord,
): Promise<void> {
  const found = new Map<string, string>();
  for await (const { key, content } of client.entries({ tier })) {
    const [name] = Object.values(key) as string[];
    if (name!.startsWith(`${agent}-`)) found.set(name!, content as string);
  }
  expect(stored.size).toBeGreaterThan(0);
  for (const key of forgotten) expect(found.has(key)).toBe(false);
  for (const [key, version] of stored) {
    // Operations after the start of the backup may be included: entries four to eight of twenty may be
    // forgotten.
    const index = Number(key.slice(agent.length + 1)) % 20;
    const mayBeDeleted = index >= 3 && index < 8 && found.get(key) === undefined;
    if (!mayBeDeleted) expect([`${version} ${key}`, `second ${key}`]).toContain(found.get(key));
  }
  const [last] = [...stored.keys()].slice(-1);
  const { entries } = await client.retrieve({ query: `${stored.get(last!)} ${last}`, tier, limit: 5 });
  expect(entries.map(({ key }) => Object.values(key)[0])).toContain(last);
}

describe("a loaded host", () => {
  it("is backed up three times, and each backup contains everything acknowledged before it", async () => {
    const taken: { backup: string; before: WriterRecord[] }[] = [];
    start();
    for (let n = 0; n < BACKUPS; n++) {
      await progress(BATCHES);
      const before = writerRecords();
      const { backup } = await host.json<{ backup: string }>(["backup", "backups", "--data", "data"]);
      taken.push({ backup, before });
    }
    expect(await host.cli(["verify", "data"])).toMatchObject({ code: 0, stderr: "" });
    await stop();
    const verified = await host.json<{ problems: string[]; orphans: string[] }[]>(["verify", "backups"]);
    expect(verified.map(({ problems }) => problems)).toEqual(taken.map(() => []));
    for (const [n, { backup, before }] of taken.entries()) {
      const data = join(host.directory, `restored-${n}`);
      await host.json(["restore", backup, "--data", data]);
      await expectServed(data, before);
    }
    expect((await readdir(join(host.directory, "data"))).sort()).toEqual([
      "control",
      "episodic",
      "semantic",
      "working",
    ]);
  });

  it("keeps earlier backups intact when a backup is killed, and nothing of the killed one", async () => {
    for (const fileChange of FILE_CHANGES) {
      start();
      await progress(1);
      const before = writerRecords();
      const child = host.spawn(["backup", "killed", "--data", "data"], { fileChange });
      await once(child, "close");
      expect(child.signalCode, `killed at file change ${fileChange}`).toBe("SIGKILL");
      const { backup } = await host.json<{ backup: string }>([
        "backup",
        "killed",
        "--data",
        "data",
        "--keep",
        "1",
      ]);
      await stop();
      // A process killed before it has the lock leaves the draft of a lock.
      const isLock = (name: string) => /^lock(\.|$)/.test(name);
      expect((await readdir(join(host.directory, "killed"))).filter((name) => !isLock(name))).toEqual([
        backup.slice(join(host.directory, "killed/").length),
      ]);
      const data = join(host.directory, `restored-killed-${fileChange}`);
      await host.json(["restore", "killed", "--data", data]);
      await expectServed(data, before);
    }
    const names = await readdir(join(host.directory, "data"));
    expect(names.filter((name) => name.startsWith("snapshot."))).toEqual([]);
  });

  it("leaves no snapshot after it is killed and restarted, and can be backed up while stopped", async () => {
    const left = join(host.directory, "data", "snapshot.00000000");
    await mkdir(left);
    await writeFile(join(left, "bytes"), "forgotten");
    await host.restart();
    expect(await readdir(join(host.directory, "data"))).not.toContain("snapshot.00000000");
    const before = writerRecords();
    const copy = join(host.directory, "stopped");
    await cp(join(host.directory, "data"), copy, {
      recursive: true,
      filter: (path) => !/\/(lock|control)$/.test(path),
    });
    expect(await runCli(["verify", copy], { cwd: host.directory })).toMatchObject({ code: 0 });
    const cold = await runCli(["backup", "cold", "--data", copy], { cwd: host.directory });
    expect(cold).toMatchObject({ code: 0 });
    const data = join(host.directory, "restored-cold");
    await host.json(["restore", "cold", "--data", data]);
    await expectServed(data, before);
  });
});
