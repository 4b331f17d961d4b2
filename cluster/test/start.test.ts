import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { createClusterBucket } from "../src/bucket/index.js";
import { type ExpectedCluster, requireCluster } from "../src/index.js";
import { writeIdentity } from "../src/start/cluster-identity.js";
import { ClusterFixture } from "./cluster-fixture.js";

const IDENTITY = {
  ...{ format: 1 as const, id: "c-1", shardCount: 16, prefix: "a2e", store: "s3://bucket/m" },
  ...{ embedder: "static/128", replicas: 1, leaseMs: 10_000 },
};
const EXPECTED: ExpectedCluster = { prefix: "a2e", embedder: "static/128" };

let fixture: ClusterFixture;
let name: string;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  name = await fixture.createBucket();
});

/** The connection to the test's server, as if the server had another version. */
function connectionOf(version: string): NatsConnection {
  return Object.create(fixture.connection, { info: { value: { ...fixture.connection.info, version } } });
}

function join(expected: Partial<ExpectedCluster> = {}, bucket = name, version = "2.14.0") {
  const options = { name: bucket, requestTimeoutMs: 5_000 };
  return requireCluster(connectionOf(version), options, { ...EXPECTED, ...expected });
}

/** Returns the revision of the last write to the bucket. */
async function lastRevision(): Promise<number> {
  const { streams } = await jetstreamManager(fixture.connection);
  return (await streams.info(`KV_${name}`)).state.last_seq;
}

it("a host joins the cluster of its bucket", async () => {
  await writeIdentity(await fixture.openBucket(name), IDENTITY);
  expect((await join()).identity).toEqual(IDENTITY);
  expect((await join({ store: "s3://bucket/m" })).identity).toEqual(IDENTITY);
});

it.each<[Partial<ExpectedCluster>, string]>([
  [{ prefix: "other" }, "the cluster has the prefix a2e, and this host other: correct `prefix`"],
  [{ embedder: null }, "the cluster has the embedder static/128, and this host none: correct `embedder`"],
  [
    { store: "s3://bucket/n" },
    "the cluster has the store s3://bucket/m, and this host s3://bucket/n: correct `cluster.store`",
  ],
])("a host that expects %j is refused and writes nothing", async (expected, message) => {
  await writeIdentity(await fixture.openBucket(name), IDENTITY);
  await expect(join(expected)).rejects.toMatchObject({
    code: "runtime_error",
    message,
  });
  expect(await lastRevision()).toBe(1);
});

it("a bucket with fewer replicas than its cluster needs is refused", async () => {
  await writeIdentity(await fixture.openBucket(name), { ...IDENTITY, replicas: 3 });
  await expect(join()).rejects.toMatchObject({
    message: `bucket ${name} has 1 replicas, expected 3: start 3 nats-servers and set num_replicas of stream KV_${name}`,
  });
});

it("servers without JetStream are refused", async () => {
  const nats = new NatsFixture();
  onTestFinished(() => nats.close());
  const { url } = await nats.launch({ binary: NATS_SERVER });
  const connection = await connect({ servers: url });
  nats.onClose(() => connection.close());
  const withVersion = Object.create(connection, { info: { value: { version: "2.14.0" } } });
  await expect(
    requireCluster(withVersion, { name, requestTimeoutMs: 5_000 }, EXPECTED),
  ).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("configure `jetstream` with a `store_dir`"),
  });
});

it.each(["2.9.10", "2.13.4"])("nats-server %s is refused", async (version) => {
  await writeIdentity(await fixture.openBucket(name), IDENTITY);
  await expect(join({}, name, version)).rejects.toMatchObject({
    code: "runtime_error",
    message: `nats-server ${version} is too old for a cluster: install version 2.14 or later`,
  });
});

it.each(["2.14.0", "2.15.2", "3.0.0"])("nats-server %s is accepted", async (version) => {
  await writeIdentity(await fixture.openBucket(name), IDENTITY);
  expect((await join({}, name, version)).identity).toEqual(IDENTITY);
});

it("a bucket that reads from replicas is refused", async () => {
  await writeIdentity(await fixture.openBucket(name), IDENTITY);
  const { streams } = await jetstreamManager(fixture.connection);
  await streams.update(`KV_${name}`, { allow_direct: true });
  await expect(join()).rejects.toMatchObject({
    message: `bucket ${name} reads from replicas: set allow_direct of stream KV_${name} to false`,
  });
});

it("a bucket without a cluster and a missing bucket are refused", async () => {
  await expect(join()).rejects.toMatchObject({
    message: `bucket ${name} belongs to no cluster: run \`membus cluster init\``,
  });
  expect(await lastRevision()).toBe(0);
  await expect(join({}, "absent")).rejects.toMatchObject({
    message: "there is no bucket absent: run `membus cluster init`, or correct `cluster.name`",
  });
});

it("a cluster of a later version is refused", async () => {
  await (await fixture.openBucket(name)).write("cluster", JSON.stringify({ ...IDENTITY, format: 2 }), 0);
  await expect(join()).rejects.toMatchObject({
    message: "the cluster's record is damaged or of a later version: upgrade membus",
  });
});

it("a bucket keeps its first cluster", async () => {
  const bucket = await fixture.openBucket(name);
  await writeIdentity(bucket, IDENTITY);
  await expect(writeIdentity(bucket, { ...IDENTITY, id: "c-2" })).rejects.toMatchObject({
    code: "conflict",
    message: "the bucket belongs to cluster c-1: use another bucket for a new cluster",
  });
});

it("a bucket with more replicas than servers is refused", async () => {
  await expect(createClusterBucket(fixture.connection, "three", 3)).rejects.toMatchObject({
    code: "runtime_error",
    message: "there are fewer nats-servers with JetStream than 3 replicas: start more of them",
  });
});
