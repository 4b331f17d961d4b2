import { TableBucket } from "@membus/plugin-lancedb/s3";
import { systemClock } from "@membus/protocol";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { FakeS3 } from "../../plugins/lancedb/test/s3/fake-s3.js";
import { bucketOptions } from "../../plugins/lancedb/test/s3/s3-fixture.js";
import { ClusterBucket, mappingLines } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { connectAlice } from "./connect-alice.js";
import { EPISODIC } from "./history/history-client.js";
import { ServingHost, SHARD_COUNT } from "./serving-host.js";

const COUNT = 1_000;
/** Requests of one client at a time. */
const IN_FLIGHT = 50;

let fixture: ClusterFixture;
let s3: FakeS3;
beforeAll(async () => {
  if (!isRecent) return;
  fixture = await ClusterFixture.open(mappingLines("a2e", SHARD_COUNT));
  s3 = await FakeS3.start();
});
afterAll(async () => {
  await fixture?.close();
  await s3?.stop();
});

/** Number of messages that the log and the bucket of the cluster have received, and of requests to the store. */
async function written(cluster: string): Promise<{ log: number; bucket: number; store: number }> {
  const { streams } = await jetstreamManager(fixture.connection, { checkAPI: false });
  const counts = { log: 0, bucket: 0, store: s3.requestCount };
  for await (const { config, state } of streams.list()) {
    if (config.name.startsWith(`${cluster}-`)) counts.log += state.last_seq;
    if (config.name === `KV_${cluster}`) counts.bucket += state.last_seq;
  }
  return counts;
}

it("1,000 stores of a tenant and their flush need a bounded number of writes and requests", async (context) => {
  requireRecentServer(context);
  const cluster = await fixture.createBucket();
  const tables = TableBucket.connect(bucketOptions(s3), systemClock);
  const connection = await fixture.connect();
  const bucket = await ClusterBucket.open(connection, { name: cluster, requestTimeoutMs: 1_000 });
  const stores = { cluster, connection, bucket, tables, log: { replicas: 1 } };
  const host = await ServingHost.start({ name: "a", leaseMs: 120_000, flushIdleMs: 3_600_000, ...stores });
  await expect.poll(() => host.shardCount).toBe(SHARD_COUNT);
  const alice = await connectAlice(fixture.url, "acme");
  await alice.remember("first", "opens the log and the table", EPISODIC);
  const before = await written(cluster);
  for (let n = 0; n < COUNT; n += IN_FLIGHT)
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, (_, at) =>
        alice.remember(`n${n + at}`, `number ${n + at}`, EPISODIC),
      ),
    );
  const stored = await written(cluster);
  await host.stop();
  const flushed = await written(cluster);
  // A store needs one message at most. The bucket gets renewals of the lease, and the object store nothing.
  expect(stored.log - before.log).toBeLessThanOrEqual(COUNT);
  expect(stored.bucket - before.bucket).toBeLessThanOrEqual(10);
  expect(stored.store - before.store).toBeLessThanOrEqual(5);
  // The flush of one table, and the release of all shards.
  expect(flushed.log - stored.log).toBe(0);
  expect(flushed.bucket - stored.bucket).toBeLessThanOrEqual(2 * SHARD_COUNT + 10);
  expect(flushed.store - stored.store).toBeLessThanOrEqual(20);
});
