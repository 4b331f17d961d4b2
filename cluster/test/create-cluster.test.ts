import { TableBucket } from "@membus/plugin-lancedb/s3";
import { systemClock } from "@membus/protocol";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { FakeS3 } from "../../plugins/lancedb/test/s3/fake-s3.js";
import { bucketOptions } from "../../plugins/lancedb/test/s3/s3-fixture.js";
import { isWrite, type S3Request } from "../../plugins/lancedb/test/s3/s3-request.js";
import { ClusterBucket, createCluster, requireTables } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";

const WANTED = {
  ...{ shardCount: 16, prefix: "a2e", store: "s3://bucket/tables", embedder: null },
  ...{ replicas: 1, leaseMs: 10_000 },
};

let fixture: ClusterFixture;
let s3: FakeS3;
let tables: TableBucket;
/** Keys that were written to the object store. */
let writes: string[];
let nameCount = 0;
let name: string;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  s3 = await FakeS3.start();
  onTestFinished(() => s3.stop());
  tables = TableBucket.connect(bucketOptions(s3), systemClock);
  writes = [];
  const note = (request: S3Request) => {
    if (isWrite(request)) writes.push(request.key);
    return false;
  };
  s3.fail({ matches: note, afterEffect: false, answer: 500 });
  nameCount += 1;
  name = `created-${nameCount}`;
});

/** Creates a cluster as if the test's server had this version. */
function create(wanted = WANTED, version = "2.15.2") {
  const info = { ...fixture.connection.info, version };
  const connection: NatsConnection = Object.create(fixture.connection, { info: { value: info } });
  return createCluster(connection, { name, requestTimeoutMs: 5_000 }, wanted, tables);
}

/** Returns the record of the cluster in its bucket. */
async function record(): Promise<unknown> {
  const bucket = await ClusterBucket.open(fixture.connection, { name, requestTimeoutMs: 5_000 });
  return bucket.get("cluster");
}

const NO_BUCKET = { message: expect.stringContaining("stream not found") };

it("a new cluster has an id, which its tables have too", async () => {
  const { identity, isNew } = await create();
  expect(isNew).toBe(true);
  expect(identity).toMatchObject(WANTED);
  await requireTables(tables, identity);
  const other = requireTables(tables, { ...identity, id: "other" });
  await expect(other).rejects.toMatchObject({
    message: `s3://bucket/tables belongs to cluster ${identity.id}, expected other: use its bucket`,
  });
});

it("a second creation changes nothing, and completes an interrupted one", async () => {
  const claim = tables.claim.bind(tables);
  tables.claim = () => Promise.reject(new Error("interrupted"));
  await expect(create()).rejects.toThrow("interrupted");
  tables.claim = claim;
  const { identity, isNew } = await create();
  expect(isNew).toBe(false);
  expect(await tables.owner()).toBe(identity.id);
  expect((await create()).identity).toEqual(identity);
});

it("a cluster cannot be created again with other properties", async () => {
  await create();
  const before = s3.requestCount;
  await expect(create({ ...WANTED, shardCount: 8 })).rejects.toMatchObject({
    code: "conflict",
    message: `bucket ${name} has a cluster with shardCount 16, not 8: repeat its values, or use another cluster name and prefix`,
  });
  expect(s3.requestCount).toBe(before);
});

it("tables of another cluster are refused before anything is written", async () => {
  await tables.claim("other");
  await expect(create()).rejects.toMatchObject({
    code: "conflict",
    message:
      "s3://bucket/tables belongs to cluster other: use another bucket or prefix in --store for a new cluster",
  });
  await expect(requireTables(tables, { ...WANTED, id: "joined" })).rejects.toMatchObject({
    message: "s3://bucket/tables belongs to cluster other, expected joined: use its bucket",
  });
  expect(writes).toEqual(["tables/_owner"]);
  await expect(record()).rejects.toMatchObject(NO_BUCKET);
});

it("tables of no cluster are refused before anything is written", async () => {
  await expect(requireTables(tables, { ...WANTED, id: "joined" })).rejects.toMatchObject({
    message: "s3://bucket/tables belongs to no cluster: run `membus cluster init` again",
  });
  expect(writes).toEqual([]);
});

it("fewer servers than replicas are refused before anything is written", async () => {
  await expect(create({ ...WANTED, replicas: 3 })).rejects.toMatchObject({
    message: "there are fewer nats-servers with JetStream than 3 replicas: start more of them",
  });
  expect(writes).toEqual([]);
  await expect(record()).rejects.toMatchObject(NO_BUCKET);
});

it("an unsuitable object store is refused before it has an owner, and can be replaced", async () => {
  s3.store.versionId = "3sL4kqtJlcpXroDTDmJ";
  await expect(create()).rejects.toMatchObject({
    message: expect.stringContaining("turn off versioning and object lock"),
  });
  expect(await record()).toBeUndefined();
  expect(writes).not.toContain("tables/_owner");
  s3.store.versionId = undefined;
  const { identity } = await create();
  await requireTables(tables, identity);
  s3.store.ignoresConditions = () => true;
  await expect(requireTables(tables, identity)).rejects.toMatchObject({
    message: expect.stringContaining("ignores If-None-Match"),
  });
});

it("an old server is refused before the object store is asked", async () => {
  await expect(create(WANTED, "2.9.25")).rejects.toMatchObject({
    message: expect.stringContaining("nats-server 2.9.25 is too old"),
  });
  expect(s3.requestCount).toBe(0);
});
