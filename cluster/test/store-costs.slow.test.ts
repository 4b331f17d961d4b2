import { TableBucket } from "@membus/plugin-lancedb/s3";
import { type MonotonicClock, monotonicClock, systemClock } from "@membus/protocol";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { FakeS3 } from "../../plugins/lancedb/test/s3/fake-s3.js";
import { bucketOptions } from "../../plugins/lancedb/test/s3/s3-fixture.js";
import { ClusterBucket, mappingLines } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { connectAlice } from "./connect-alice.js";
import { EPISODIC } from "./history/history-client.js";
import { POLL_MS, ServingHost, SHARD_COUNT } from "./serving-host.js";

const COUNT = 1_000;
/** Requests of one client at a time. */
const IN_FLIGHT = 50;

/** Most requests to JetStream in addition to the polls: of the test, and of a poll in flight. */
const FURTHER_REQUESTS = 10;
/** A host reads the space of the account at most once a second, and the state of its logs every ten seconds. */
const TIMED = /^\$JS\.API\.(INFO$|STREAM\.INFO\.)/;

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

/** Subscribes to the requests to JetStream that follow from polls and stores, such as reads of the bucket. Returns their number. */
async function countingRequests(): Promise<() => Promise<number>> {
  const connection = await fixture.connect();
  let count = 0;
  connection.subscribe("$JS.API.>", {
    callback: (_error, { subject }) => {
      if (!TIMED.test(subject)) count += 1;
    },
  });
  await connection.flush();
  return async () => {
    await connection.flush();
    return count;
  };
}

/** Returns a clock, and the number of waits between two polls that it was asked for. */
function countingPolls(): { readonly clock: MonotonicClock; readonly polls: () => number } {
  let count = 0;
  const after: MonotonicClock["after"] = (delayMs, ...rest) => {
    if (delayMs === POLL_MS) count += 1;
    return monotonicClock.after(delayMs, ...rest);
  };
  return { clock: { ...monotonicClock, after }, polls: () => count };
}

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
  const { clock, polls } = countingPolls();
  const requests = await countingRequests();
  const times = { leaseMs: 120_000, flushIdleMs: 3_600_000, clock };
  const host = await ServingHost.start({ name: "a", ...times, ...stores });
  await expect.poll(() => host.shardCount).toBe(SHARD_COUNT);
  const alice = await connectAlice(fixture.url, "acme");
  await alice.remember("first", "opens the log and the table", EPISODIC);
  const before = { ...(await written(cluster)), requests: await requests(), polls: polls() };
  for (let n = 0; n < COUNT; n += IN_FLIGHT)
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, (_, at) =>
        alice.remember(`n${n + at}`, `number ${n + at}`, EPISODIC),
      ),
    );
  const stored = { ...(await written(cluster)), requests: await requests(), polls: polls() };
  await host.stop();
  const flushed = { ...(await written(cluster)), requests: await requests() };
  // A store needs one message at most. The bucket gets renewals of the lease, and the object store nothing.
  expect(stored.log - before.log).toBeLessThanOrEqual(COUNT);
  expect(stored.bucket - before.bucket).toBeLessThanOrEqual(10);
  expect(stored.store - before.store).toBeLessThanOrEqual(5);
  // A poll is one request, and one more for each record that has changed. A store needs none.
  const pollRequests = stored.polls - before.polls + stored.bucket - before.bucket;
  expect(pollRequests).toBeGreaterThan(0);
  const further = stored.requests - before.requests - pollRequests;
  expect(Math.abs(further)).toBeLessThanOrEqual(FURTHER_REQUESTS);
  // The flush of one table, and the release of all shards.
  expect(flushed.log - stored.log).toBe(0);
  expect(flushed.bucket - stored.bucket).toBeLessThanOrEqual(2 * SHARD_COUNT + 10);
  expect(flushed.store - stored.store).toBeLessThanOrEqual(20);
  expect(flushed.requests - stored.requests).toBeLessThanOrEqual(2 * SHARD_COUNT + FURTHER_REQUESTS);
});
