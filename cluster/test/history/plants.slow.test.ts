import { once } from "node:events";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
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

/** Long enough for a host to write to its log, and shorter than its lease. */
const HASTY = { timeoutMs: 3_000, retryTimeoutMs: 3_000 };
/** Longer than a host that was cut off takes to connect again. */
const LONG_LEASE = { leaseMs: 6_000 };

/** Time in which a client repeats a call to a cluster that never answers it again, because of a fault. */
const GIVE_UP = { retryTimeoutMs: 10_000 };

/** Hosts of a new cluster, with or without the fault. */
interface Course {
  readonly cluster: string;
  readonly start: Awaited<ReturnType<ServingFixture["createCluster"]>>;
  /** Edits of the host that has the fault. */
  readonly edits: readonly SourceEdit[];
  readonly isPlanted: boolean;
  /** Opens a memory that two clients call. Each attempt of a call has this time limit. */
  openHistory(timing?: CallOptions): Promise<MemoryHistory>;
}

/** Events that show the fault. Resolves with the problems that clients see. */
type Events = (course: Course) => Promise<string[]>;

let fixture: ServingFixture;
beforeAll(async () => {
  if (isRecent) fixture = await ServingFixture.open();
});
afterAll(() => fixture?.close());
beforeEach(requireRecentServer);

let courseCount = 0;

async function run(events: Events, edits: readonly SourceEdit[], isPlanted: boolean, limits: CallOptions) {
  const cluster = `course-${++courseCount}`;
  const openHistory = async (timing: CallOptions = {}) => {
    const { urls } = fixture.nats.cluster;
    const connect = () => connectAlice(urls, "tenant-0", { ...limits, ...timing });
    return new MemoryHistory([await connect(), await connect()], new Chance(1));
  };
  return events({ cluster, start: await fixture.createCluster(cluster), edits, isPlanted, openHistory });
}

interface Plant {
  readonly planted: readonly SourceEdit[];
  /** Edits without the fault. */
  readonly clean?: readonly SourceEdit[];
  /** Error of all later calls, if hosts notice the fault. */
  readonly failure?: string;
}

/** Tests that clients see a fault, and see nothing without it. */
function testPlant(title: string, { planted, clean = [], failure }: Plant, events: Events): void {
  it(`${title} is found`, async () => {
    const problems = await run(events, planted, true, failure === undefined ? {} : GIVE_UP);
    const found = failure === undefined ? "no order explains" : `a call fails for good: ${failure}`;
    expect(problems).toContainEqual(expect.stringContaining(found));
  });
  it(`nothing is found without this: ${title}`, async () => {
    expect(await run(events, clean, false, {})).toEqual([]);
  });
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

const DIE = "process.kill(process.pid, 'SIGKILL');";
const [markerFirst] = PLANTS.markerBeforeTables;
const dieBetween = (edit: SourceEdit) => ({ ...edit, to: edit.to.replace("\n", `\n    ${DIE}\n`) });

testPlant(
  "a marker that is written before the tables, by a host that dies in between",
  { planted: [dieBetween(markerFirst!)], clean: [dieBetween({ ...markerFirst!, to: markerFirst!.from })] },
  async ({ start, edits, openHistory }) => {
    const host = start("a", { flushIdleMs: 100, edits });
    await host.serves(SHARD_COUNT);
    const history = await openHistory();
    history.start();
    await once(host.process, "exit");
    start("b");
    await history.goOn();
    return history.problems();
  },
);

testPlant(
  "a counter of records that is set back while the log begins a segment",
  { planted: PLANTS.counterSetBack, failure: "internal error of the episodic tier" },
  async ({ start, edits, isPlanted, openHistory }) => {
    const host = start("a", { edits });
    await host.serves(SHARD_COUNT);
    const history = await openHistory();
    history.start();
    const [purging] = (await openHistory()).clients;
    const purge = async () => {
      for (let round = 0; round < 10; round++) await purging!.forget("none", true);
    };
    const throwIfClean = (error: unknown) => {
      if (!isPlanted) throw error;
    };
    await purge().catch(throwIfClean);
    await host.kill();
    start("b");
    await history.goOn().catch(throwIfClean);
    return history.problems();
  },
);

testPlant(
  "an owner that does not check its lease",
  { planted: PLANTS.noLeaseCheck },
  async ({ start, edits, openHistory }) => {
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
  },
);

testPlant(
  "an owner that does not begin with a record of its epoch",
  { planted: PLANTS.noEpochRecord, failure: "no responders" },
  async ({ cluster, start, edits, isPlanted, openHistory }) => {
    const link = await openLink();
    const late = start("a", { ...LONG_LEASE, servers: [link.url] });
    await late.serves(SHARD_COUNT);
    const history = await openHistory();
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
    if (isPlanted) await expect.poll(() => hasGrown(cluster, before)).toBe(true);
    await late.kill();
    await next.kill();
    start("c");
    return history.problems();
  },
);

const isPutOfRows = ({ operation, key }: S3Request) => operation === "put" && key.includes("/data/");
const manifests = () => fixture.s3.store.keys.filter((key) => key.includes("/_versions/")).length;

testPlant(
  "rows that are not counted, so that a former owner adds some after the clean-up of its version",
  { planted: PLANTS.noRowCount },
  async ({ start, edits, openHistory }) => {
    const former = start("a", { flushIdleMs: 100 });
    await former.serves(SHARD_COUNT);
    const history = await openHistory();
    const [client] = history.clients;
    await client!.store("first");
    await client!.forget("none", true);
    const held = fixture.s3.hold(isPutOfRows);
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
  },
);
