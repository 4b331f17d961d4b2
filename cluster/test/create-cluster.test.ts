import { TableBucket } from "@membus/plugin-lancedb/s3";
import { systemClock } from "@membus/protocol";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { FakeS3 } from "../../plugins/lancedb/test/s3/fake-s3.js";
import { bucketOptions } from "../../plugins/lancedb/test/s3/s3-fixture.js";
import { ClusterBucket, createCluster, requireTables } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";

const WANTED = {
  ...{ shardCount: 16, prefix: "a2e", store: "s3://bucket/tables", embedder: null },
  ...{ replicas: 1, leaseMs: 10_000 },
};

let fixture: ClusterFixture;
let tables: TableBucket;
let nameCount = 0;
let name: string;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  const s3 = await FakeS3.start();
  onTestFinished(() => s3.stop());
  tables = await TableBucket.open(bucketOptions(s3), systemClock);
  nameCount += 1;
  name = `created-${nameCount}`;
});

/** Creates a cluster as if the test's server had this version. */
function create(wanted = WANTED, openTables = async () => tables, version = "2.15.2") {
  const info = { ...fixture.connection.info, version };
  const connection: NatsConnection = Object.create(fixture.connection, { info: { value: info } });
  return createCluster(connection, { name, requestTimeoutMs: 5_000 }, wanted, openTables);
}

const neverOpened = async (): Promise<TableBucket> => {
  throw new Error("the object store was opened");
};

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
  await expect(create({ ...WANTED, shardCount: 8 }, neverOpened)).rejects.toMatchObject({
    code: "conflict",
    message: `bucket ${name} has a cluster with shardCount 16, not 8: repeat its values, or use another cluster name and prefix`,
  });
});

it("tables of another cluster are refused before anything is written", async () => {
  await tables.claim("other");
  await expect(create()).rejects.toMatchObject({
    code: "conflict",
    message: "s3://bucket/tables belongs to cluster other: use another prefix for a new cluster",
  });
  const bucket = await ClusterBucket.open(fixture.connection, { name, requestTimeoutMs: 5_000 });
  await expect(bucket.get("cluster")).rejects.toMatchObject({
    message: expect.stringContaining("stream not found"),
  });
});

it("an old server is refused before the object store is opened", async () => {
  await expect(create(WANTED, neverOpened, "2.9.25")).rejects.toMatchObject({
    message: expect.stringContaining("nats-server 2.9.25 is too old"),
  });
});
