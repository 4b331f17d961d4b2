import { monotonicClock, silentLogger } from "@membus/protocol";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { createClusterBucket } from "../src/bucket/index.js";
import { ClusterBucket, ShardOwnership } from "../src/index.js";
import { leaderOf, type NatsClusterFixture, openNatsCluster } from "./nats-cluster-fixture.js";

const BUCKET = "cluster";
const SHARD_COUNT = 4;

let fixture: NatsClusterFixture;
beforeAll(async () => {
  if (!isRecent) return;
  fixture = await openNatsCluster();
  await createClusterBucket(fixture.connection, BUCKET, 3);
});
afterAll(() => fixture?.close());
beforeEach(requireRecentServer);

const openBucket = async () =>
  ClusterBucket.open(await fixture.connect(), { name: BUCKET, requestTimeoutMs: 1_000 });

/** Starts a host with the default lease. */
async function startHost(host: string) {
  const events: string[] = [];
  const services = { bucket: await openBucket(), clock: monotonicClock, logger: silentLogger };
  const ownership = new ShardOwnership({ host, shardCount: SHARD_COUNT }, services, {
    onAcquired: (shard, epoch) => events.push(`+${shard}@${epoch}`),
    onLost: (shard, epoch) => events.push(`-${shard}@${epoch}`),
    handOver: async (shard, epoch) => void events.push(`>${shard}@${epoch}`),
  });
  return { ownership, events };
}

it("kill -9 of the node that leads the bucket moves no shard", async () => {
  const a = await startHost("a");
  await expect.poll(() => a.events).toEqual(["+0@1", "+1@1", "+2@1", "+3@1"]);
  const b = await startHost("b");
  await expect.poll(() => [...b.events].sort()).toEqual(["+1@2", "+2@2"]);
  const events = [[...a.events], [...b.events]];
  const bucket = await openBucket();
  const awaitRenewals = async (host: string, count: number) => {
    const revisions = new Set<number>();
    const see = async () => revisions.add((await bucket.get(`own.host.${host}`))!.revision);
    await expect.poll(async () => (await see()).size).toBeGreaterThan(count);
  };
  for (let round = 0; round < 2; round++) {
    const node = await leaderOf(fixture, `KV_${BUCKET}`);
    await node.kill();
    // A host that gives its shards up does so before it renews its next lease.
    await Promise.all(["a", "b"].map((host) => awaitRenewals(host, 3)));
    await node.start();
    await fixture.ready();
    expect([a.events, b.events]).toEqual(events);
  }
  await b.ownership.stop();
  await a.ownership.stop();
});
