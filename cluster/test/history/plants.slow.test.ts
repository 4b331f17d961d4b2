import { once } from "node:events";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { CallOptions } from "../../../agent-client/src/index.js";
import { isRecent, requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import type { S3Request } from "../../../plugins/lancedb/test/s3/s3-request.js";
import { connectAlice } from "../connect-alice.js";
import { FaultyLink } from "../faulty-link.js";
import { ServingFixture } from "../serving-fixture.js";
import { SHARD_COUNT } from "../serving-host.js";
import { EPISODIC } from "./history-client.js";
import { MemoryHistory } from "./memory-history.js";
import { PLANTS, type SourceEdit } from "./plants.js";

/** Time in which a client repeats a call to a cluster that may never answer it again. */
const GIVE_UP = { retryTimeoutMs: 10_000 };

/** Long enough for a host to write to its log, and shorter than its lease. */
const HASTY = { timeoutMs: 3_000, retryTimeoutMs: 3_000 };
/** Longer than a host that was cut off takes to connect again. */
const LONG_LEASE = { leaseMs: 6_000 };

let fixture: ServingFixture;
beforeAll(async () => {
  if (isRecent) fixture = await ServingFixture.open();
});
afterAll(() => fixture?.close());
beforeEach(requireRecentServer);

async function openHistory(timing: CallOptions = {}): Promise<MemoryHistory> {
  const { urls } = fixture.nats.cluster;
  const connectOne = () => connectAlice(urls, "tenant-0", timing);
  const agents = await Promise.all([connectOne(), connectOne()]);
  return new MemoryHistory(agents, new Chance(1));
}

async function openLink(): Promise<FaultyLink> {
  const link = await FaultyLink.open(fixture.nats.cluster.urls[0]!);
  onTestFinished(() => link.close());
  return link;
}

/** Returns the number of messages in each stream of a cluster's logs, if there are any. */
async function messagesOf(cluster: string): Promise<Map<string, number>> {
  const { streams } = await jetstreamManager(fixture.nats.connection, { checkAPI: false });
  const found = new Map<string, number>();
  for await (const { config, state } of streams.list())
    if (config.name.startsWith(`${cluster}-`) && state.messages > 0) found.set(config.name, state.messages);
  return found;
}

async function hasGrown(cluster: string, before: ReadonlyMap<string, number>): Promise<boolean> {
  const after = await messagesOf(cluster);
  return [...before].some(([name, count]) => (after.get(name) ?? 0) > count);
}

/** Resolves when the clients have made more calls. */
async function goOn(history: MemoryHistory): Promise<void> {
  const before = history.answeredCount;
  await expect.poll(() => history.answeredCount).toBeGreaterThan(before + 100);
}

describe("a host that dies between the tables and the marker of a flush", () => {
  const dies = "process.kill(process.pid, 'SIGKILL');";
  const [planted] = PLANTS.markerBeforeTables;
  const clean = { ...planted!, to: planted!.from.replace("\n", `\n    ${dies}\n`) };

  async function problems(edit: SourceEdit) {
    const start = await fixture.createCluster(`marker-${edit === clean}`);
    const host = start("a", { flushIdleMs: 100, edits: [edit] });
    await host.serves(SHARD_COUNT);
    const history = await openHistory();
    const ended = history.run().catch(() => undefined);
    await once(host.process, "exit");
    start("b");
    await Promise.race([goOn(history), ended]);
    return history.problems();
  }

  it("loses nothing", async () => {
    expect(await problems(clean)).toEqual([]);
  });

  it("is found if the marker is written first", async () => {
    const edit = { ...planted!, to: planted!.to.replace("\n", `\n    ${dies}\n`) };
    expect(await problems(edit)).toContainEqual(expect.stringContaining("no order explains"));
  });
});

describe("a log that gets records while it begins a segment", () => {
  async function problems(edits: readonly SourceEdit[], timing?: CallOptions) {
    const start = await fixture.createCluster(`rotate-${edits.length}`);
    const host = start("a", { edits });
    await host.serves(SHARD_COUNT);
    const history = await openHistory(timing);
    const ended = history.run().catch(() => undefined);
    const other = await connectAlice(fixture.nats.cluster.urls, "tenant-0");
    for (let round = 0; round < 10; round++)
      await Promise.race([other.forget({ keys: ["none"], purge: true, ...EPISODIC }), ended]);
    await host.kill();
    start("b");
    await Promise.race([goOn(history), ended]);
    return history.problems();
  }

  it("loses nothing", async () => {
    expect(await problems([])).toEqual([]);
  });

  it("is found if its counter is set back", async () => {
    expect(await problems(PLANTS.counterSetBack, GIVE_UP)).not.toEqual([]);
  });
});

describe("a host that is cut off for longer than its lease", () => {
  async function problems(edits: readonly SourceEdit[]) {
    const start = await fixture.createCluster(`cut-${edits.length}`);
    const link = await openLink();
    const cut = start("a", { ...LONG_LEASE, servers: [link.url], edits });
    await cut.serves(SHARD_COUNT);
    const history = await openHistory({ timeoutMs: 200 });
    const [client] = history.clients;
    await client!.store("k");
    link.loseAnswers();
    const other = start("b", LONG_LEASE);
    await other.serves(SHARD_COUNT);
    await client!.store("k");
    // Only the host that was cut off can answer the next read at once.
    other.process.kill("SIGSTOP");
    link.repair();
    await client!.read("k");
    other.process.kill("SIGCONT");
    return history.problems();
  }

  it("answers nothing stale", async () => {
    expect(await problems([])).toEqual([]);
  });

  it("is found if it does not check its lease", async () => {
    expect(await problems(PLANTS.noLeaseCheck)).toContainEqual(expect.stringContaining("no order explains"));
  });
});

describe("a write to the log that arrives after a take-over", () => {
  async function problems(edits: readonly SourceEdit[], timing?: CallOptions) {
    const cluster = `late-${edits.length}`;
    const start = await fixture.createCluster(cluster);
    const link = await openLink();
    const late = start("a", { ...LONG_LEASE, servers: [link.url] });
    await late.serves(SHARD_COUNT);
    const history = await openHistory(timing);
    const [client] = history.clients;
    await client!.store("k");
    const hasty = await connectAlice(fixture.nats.cluster.urls, "tenant-0", HASTY);
    link.hold("requests");
    await expect(hasty.inNamespace("other").remember("k", 0, EPISODIC)).rejects.toThrow();
    const before = await messagesOf(cluster);
    const next = start("b", { ...LONG_LEASE, segmentS: 0, edits });
    await next.serves(SHARD_COUNT);
    await expect.poll(async () => (await messagesOf(cluster)).size).toBeGreaterThan(before.size);
    await client!.store("k");
    link.release();
    if (edits.length > 0) await expect.poll(() => hasGrown(cluster, before)).toBe(true);
    await late.kill();
    await next.kill();
    start("c");
    await client!.store("k").catch(() => undefined);
    return history.problems();
  }

  it("is refused", async () => {
    expect(await problems([])).toEqual([]);
  });

  it("is found if an owner does not begin with a record of its epoch", async () => {
    expect(await problems(PLANTS.noEpochRecord, GIVE_UP)).not.toEqual([]);
  });
});

describe("rows that a former owner adds to a table after its clean-up", () => {
  const isPutOf = (folder: string) => (request: S3Request) =>
    request.operation === "put" && request.key.includes(`/${folder}/`);
  const manifests = () => fixture.s3.store.keys.filter((key) => key.includes("/_versions/")).length;

  async function problems(edits: readonly SourceEdit[]) {
    const start = await fixture.createCluster(`rows-${edits.length}`);
    const former = start("a", { flushIdleMs: 100 });
    await former.serves(SHARD_COUNT);
    const history = await openHistory();
    const [client] = history.clients;
    await client!.store("first");
    await client!.forget("none", true);
    const held = fixture.s3.hold(isPutOf("data"));
    await client!.store("forgotten");
    await held.arrived;
    former.process.kill("SIGSTOP");
    const next = start("b", { flushIdleMs: 100, edits });
    await next.serves(SHARD_COUNT);
    await client!.forget("forgotten", true);
    const before = manifests();
    former.process.kill("SIGCONT");
    await held.release();
    await expect.poll(manifests).toBeGreaterThan(before);
    await former.kill();
    await client!.store("last");
    await client!.forget("none", true);
    await next.kill();
    start("c");
    return history.problems();
  }

  it("are removed", async () => {
    expect(await problems([])).toEqual([]);
  });

  it("are found if rows are not counted", async () => {
    expect(await problems(PLANTS.noRowCount)).toContainEqual(expect.stringContaining("no order explains"));
  });
});
