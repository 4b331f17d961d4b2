import { randomBytes } from "node:crypto";
import { TableBucket } from "@membus/plugin-lancedb/s3";
import { isMemoryError, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { FakeS3 } from "../../plugins/lancedb/test/s3/fake-s3.js";
import { bucketOptions } from "../../plugins/lancedb/test/s3/s3-fixture.js";
import { ClusterBucket, mappingLines } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { connectAlice } from "./connect-alice.js";
import { EPISODIC } from "./history/history-client.js";
import { ServingHost, SHARD_COUNT } from "./serving-host.js";

const ACCOUNT_BYTES = 3_000_000;
/** The account may store three megabytes. */
const CONFIG = `
no_auth_user: host
accounts { A {
  jetstream: { max_file: ${ACCOUNT_BYTES}, max_mem: 1000000 }
  users: [ { user: host, password: host } ]
  ${mappingLines("a2e", SHARD_COUNT)}
} }
`;
/** Bytes of entries. The later ones fill what the earlier ones leave. */
const SIZES = [20_000, 2_000, 200, 2];
/** Bytes of the facts of many tables. */
const FACTS_BYTES = 100_000;
const HOST_KEY = "own.host.a";

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open(CONFIG);
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

async function startHost() {
  const cluster = await fixture.createBucket();
  const s3 = await FakeS3.start();
  onTestFinished(() => s3.stop());
  const tables = TableBucket.connect(bucketOptions(s3), systemClock);
  const connection = await fixture.connect();
  const bucket = await ClusterBucket.open(connection, { name: cluster, requestTimeoutMs: 1_000 });
  const stores = { cluster, connection, bucket, tables, log: { replicas: 1 } };
  const host = await ServingHost.start({ name: "a", leaseMs: 5_000, flushIdleMs: 100, ...stores });
  onTestFinished(async () => {
    // A host with rows that it cannot write would wait for space.
    await host.cut();
    await host.stop();
  });
  await expect.poll(() => host.shardCount).toBe(SHARD_COUNT);
  return { s3, host, bucket };
}

/** Stores until the account is full. */
async function storeUntilFull(store: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 1; await isStored(store(n)); n++);
}

/** Returns false for a store that is `memory_full`. */
async function isStored(stored: Promise<unknown>): Promise<boolean> {
  try {
    await stored;
    return true;
  } catch (error) {
    if (isMemoryError(error) && error.code === "memory_full") return false;
    throw error;
  }
}

it("a nearly full account refuses stores, keeps leases and reads, and accepts stores once rows are written", async () => {
  const { s3, host, bucket } = await startHost();
  const alice = await connectAlice(fixture.url, "acme");
  const store = (key: string, bytes: number) =>
    alice.remember(key, randomBytes(bytes / 2).toString("hex"), EPISODIC);
  await store("first", 20);
  s3.holdAll(({ operation, key }) => operation === "put" && key.includes("/data/"));
  for (const bytes of SIZES) await storeUntilFull((n) => store(`${bytes}-${n}`, bytes));
  // The lease is renewed, and the bucket has space for facts.
  const { revision } = (await bucket.get(HOST_KEY))!;
  await expect.poll(async () => (await bucket.get(HOST_KEY))!.revision).toBeGreaterThan(revision);
  expect(await bucket.write("facts", "x".repeat(FACTS_BYTES), 0)).toBeDefined();
  expect(await alice.recall("first")).toHaveLength(20);
  expect(await alice.forget({ keys: ["first"], ...EPISODIC })).toMatchObject({ deleted: 1 });
  s3.heal();
  await expect.poll(() => isStored(store("again", 20_000))).toBe(true);
  expect(host.shardCount).toBe(SHARD_COUNT);
  expect(await alice.recall("20000-1")).toHaveLength(20_000);
});
