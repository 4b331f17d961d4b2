import { TableBucket } from "@membus/plugin-lancedb/s3";
import { MemoryError, systemClock } from "@membus/protocol";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { Chance } from "../../cli/test/crash/kill-loop/chance.js";
import { FakeS3 } from "../../plugins/lancedb/test/s3/fake-s3.js";
import { bucketOptions } from "../../plugins/lancedb/test/s3/s3-fixture.js";
import { ClusterBucket, mappingLines, type OwnedShard, shardOf } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { connectAlice } from "./connect-alice.js";
import { EPISODIC } from "./history/history-client.js";
import { MemoryHistory } from "./history/memory-history.js";
import { ServingHost, type ServingParts, SHARD_COUNT } from "./serving-host.js";
import { TestClock } from "./test-clock.js";

/** Tenants of all shards. */
const TENANTS = Array.from({ length: 40 }, (_, index) => `tenant-${index}`);

let fixture: ClusterFixture;
let cluster: string;
let s3: FakeS3;
let tables: TableBucket;

beforeAll(async () => {
  fixture = await ClusterFixture.open(mappingLines("a2e", SHARD_COUNT));
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);
beforeEach(async () => {
  cluster = await fixture.createBucket();
  s3 = await FakeS3.start();
  onTestFinished(() => s3.stop());
  tables = TableBucket.connect(bucketOptions(s3), systemClock);
});

async function startHost(name: string, parts: Partial<ServingParts> = {}): Promise<ServingHost> {
  const connection = await fixture.connect();
  const bucket = await ClusterBucket.open(connection, { name: cluster, requestTimeoutMs: 1_000 });
  const stores = { cluster, connection, bucket, tables, log: { replicas: 1 } };
  const host = await ServingHost.start({ name, leaseMs: 60_000, ...stores, ...parts });
  onTestFinished(() => host.stop());
  return host;
}

/** Adds a field to each object in the records of the cluster. Returns the number of records. */
async function addFields(): Promise<number> {
  const bucket = await ClusterBucket.open(await fixture.connect(), {
    name: cluster,
    requestTimeoutMs: 1_000,
  });
  const last = (await bucket.info())!.state.last_seq;
  let count = 0;
  for (let entry = await bucket.next(">", 0); entry !== undefined && entry.revision <= last; count++) {
    const { key, value = Buffer.from("{}"), revision } = entry;
    const later = JSON.stringify(JSON.parse(Buffer.from(value).toString(), withLaterField));
    expect(await bucket.write(key, later, revision), key).toBeDefined();
    entry = await bucket.next(">", revision);
  }
  return count;
}

function withLaterField(_name: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { ...value, later: "field" } : value;
}

const client = (tenant: string) => connectAlice(fixture.url, tenant);

async function startTwo(leaseMs = 60_000): Promise<[ServingHost, ServingHost]> {
  const both: [ServingHost, ServingHost] = [
    await startHost("a", { leaseMs }),
    await startHost("b", { leaseMs }),
  ];
  await expect.poll(() => both.map(({ shardCount }) => shardCount)).toEqual([4, 4]);
  return both;
}

describe("two hosts of a cluster", () => {
  it("serve all tenants, each shard once", async () => {
    expect(new Set(TENANTS.map((tenant) => shardOf(tenant, SHARD_COUNT))).size).toBe(SHARD_COUNT);
    await startTwo();
    const clients = await Promise.all(TENANTS.map(client));
    await Promise.all(clients.map((alice, at) => alice.remember("name", TENANTS[at]!, EPISODIC)));
    expect(await Promise.all(clients.map((alice) => alice.recall("name")))).toEqual(TENANTS);
  });

  it.each([
    ["hands its shards over", (host: ServingHost) => host.stop()],
    ["is cut from the servers", (host: ServingHost) => host.cut()],
  ])("keep every acknowledged store and no forgotten one while one of them %s", async (_, end) => {
    const [first, second] = await startTwo(2_000);
    const history = new MemoryHistory([await client(TENANTS[0]!)], new Chance(1));
    history.start();
    await history.goOn();
    await end(first);
    await expect.poll(() => second.shardCount).toBe(SHARD_COUNT);
    await history.goOn();
    expect(await history.problems()).toEqual([]);
  });

  it("serve a shard until its rows are written for the next owner", async () => {
    const host = await startHost("a");
    await expect.poll(() => host.shardCount).toBe(SHARD_COUNT);
    const alice = await client(TENANTS[0]!);
    await alice.remember("name", "Alice", EPISODIC);
    const flush = s3.hold(({ operation, key }) => operation === "put" && key.includes("/data/"));
    const stopping = host.stop();
    await flush.arrived;
    await alice.remember("city", "Oslo", EPISODIC);
    await flush.release();
    await stopping;
    await startHost("b");
    expect(await alice.recall("city")).toBe("Oslo");
  });

  it("serve a shard with records to which a later version has added fields", async () => {
    const first = await startHost("a");
    await expect.poll(() => first.shardCount).toBe(SHARD_COUNT);
    const alice = await client(TENANTS[0]!);
    await alice.remember("name", "Alice", EPISODIC);
    await first.stop();
    expect(await addFields()).toBeGreaterThan(SHARD_COUNT);
    const second = await startHost("b");
    await expect.poll(() => second.shardCount).toBe(SHARD_COUNT);
    expect(await alice.recall("name")).toBe("Alice");
    await alice.remember("city", "Oslo", EPISODIC);
    await second.stop();
    await startHost("c");
    expect(await alice.recall("city")).toBe("Oslo");
  });

  it("say what a shard waits for that is not open after 15 seconds", async () => {
    const clock = new TestClock();
    const error = new MemoryError("unavailable", "JetStream did not answer: no leader");
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const beforeOpen = async ({ shard, hold }: OwnedShard) => {
      if (shard !== 3) return;
      hold.obstacle = error;
      await opened;
    };
    const { serving } = await startHost("a", { clock, beforeOpen });
    const status = async () => {
      await clock.advance(1_000);
      return serving.statusOf(3);
    };
    const message = "shard 3 is not open after 15 seconds: JetStream did not answer: no leader";
    await expect.poll(status).toMatchObject({ isServing: false, problem: { message } });
    open();
    await expect.poll(status).toEqual({ epoch: 1, isServing: true });
  });

  it("open a shard again if its place cannot be reached, and its open tiers cannot be flushed", async () => {
    let failures = 0;
    const beforeClose = async () => {
      throw new MemoryError("unavailable", "the store does not answer");
    };
    const beforeOpen = async ({ shard }: OwnedShard) => {
      if (shard === 3 && ++failures === 1) throw new MemoryError("unavailable", "the store does not answer");
    };
    const host = await startHost("a", { beforeOpen, beforeClose });
    await expect.poll(() => host.shardCount).toBe(SHARD_COUNT);
    expect(failures).toBe(2);
  });
});

describe("a shard with a lost stream of its log", () => {
  it("is served after an operator has accepted the loss", async () => {
    const first = await startHost("a");
    await expect.poll(() => first.shardCount).toBe(SHARD_COUNT);
    const alice = await client(TENANTS[0]!);
    await alice.remember("name", "Alice", EPISODIC);
    const shard = shardOf(TENANTS[0]!, SHARD_COUNT);
    await first.stop();
    const { streams } = await jetstreamManager(await fixture.connect(), { checkAPI: false });
    for await (const { config } of streams.list(`log.${cluster}-${shard}-episodic.*`))
      await streams.delete(config.name);
    const { serving } = await startHost("b");
    await expect
      .poll(() => serving.statusOf(shard)?.problem)
      .toMatchObject({
        detail: { reason: "log_incomplete" },
      });
    const other = (shard + 1) % SHARD_COUNT;
    await expect.poll(() => serving.statusOf(other)?.isServing).toBe(true);
    const { message } = serving.statusOf(shard)!.problem as MemoryError;
    const refusal = { code: "conflict", message: `shard ${other} does not have this loss` };
    expect(() => serving.acceptLoss(other, message)).toThrow(expect.objectContaining(refusal));
    expect(() => serving.acceptLoss(shard, "another loss")).toThrow(MemoryError);
    serving.acceptLoss(shard, message);
    await expect.poll(() => serving.statusOf(shard)).toEqual({ epoch: 2, isServing: true });
    await alice.remember("name", "Alice again", EPISODIC);
    expect(await alice.recall("name")).toBe("Alice again");
  });
});

describe("a shard with a damaged table", () => {
  it("is served with an empty one after an operator has accepted the loss, and others keep theirs", async () => {
    const first = await startHost("a");
    await expect.poll(() => first.shardCount).toBe(SHARD_COUNT);
    const shard = shardOf(TENANTS[0]!, SHARD_COUNT);
    const neighbour = TENANTS.slice(1).find((tenant) => shardOf(tenant, SHARD_COUNT) === shard)!;
    const [alice, other] = [await client(TENANTS[0]!), await client(neighbour)];
    await alice.remember("name", "Alice", EPISODIC);
    await other.remember("name", "Other", EPISODIC);
    await first.stop();
    for (const key of s3.store.keys.filter((name) => name.includes(`/t_${TENANTS[0]}-`)))
      s3.store.put(key, Buffer.from("damaged"), {});
    const { serving } = await startHost("b");
    await expect.poll(() => serving.statusOf(shard)?.isServing).toBe(true);
    // It is repeated until the table is replaced.
    const stored = alice.remember("city", "Oslo", EPISODIC);
    await other.remember("seat", "window", { tier: "working" });
    const problemOf = () => serving.statusOf(shard)?.problem as MemoryError | undefined;
    await expect.poll(() => problemOf()?.detail.parts).toBe(`t_${TENANTS[0]}`);
    serving.acceptLoss(shard, problemOf()!.message);
    await stored;
    await expect.poll(() => serving.statusOf(shard)).toEqual({ epoch: 2, isServing: true });
    expect(await alice.recall("name")).toBeNull();
    expect(await alice.recall("city")).toBe("Oslo");
    expect(await other.recall("name")).toBe("Other");
    expect(await other.recall("seat")).toBe("window");
  });
});
