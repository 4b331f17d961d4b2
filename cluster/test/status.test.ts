import { monotonicClock, silentLogger } from "@membus/protocol";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { type ClusterBucket, readStatus } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";

let fixture: ClusterFixture;
let bucket: ClusterBucket;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

const write = (key: string, value: object) => bucket.write(key, JSON.stringify(value), 0);

const read = (leaseMs: number) =>
  readStatus(
    bucket,
    {
      ...{ id: "c", shardCount: 3, prefix: "a2e", store: "s3://bucket/m", embedder: null },
      ...{ replicas: 1, leaseMs },
    },
    { clock: monotonicClock, logger: silentLogger },
  );

it("a status names hosts and the owners of shards", async () => {
  bucket = await fixture.openBucket();
  await write("own.host.a", { instance: "1", isLeaving: false });
  await write("own.host.b", { instance: "2", isLeaving: true });
  await write("own.host.c", { instance: "", isLeaving: false });
  await write("own.shard.0", { host: "a", epoch: 4 });
  await write("own.shard.2", { host: "c", epoch: 1 });
  await write("own.pin.1", { host: "b" });
  await write("own.pin.2", { host: "" });
  const { hosts, shards } = await read(60_000);
  expect(hosts.map(({ host, state, shards: count }) => [host, state, count])).toEqual([
    ["a", "running", 1],
    ["b", "leaving", 0],
    ["c", "stopped", 0],
  ]);
  expect(shards).toEqual([
    { shard: 0, host: "a", epoch: 4, pinned: null },
    { shard: 1, host: null, epoch: 0, pinned: "b" },
    { shard: 2, host: null, epoch: 1, pinned: null },
  ]);
});

it("a host that has not renewed its lease is late", async () => {
  bucket = await fixture.openBucket();
  await write("own.host.a", { instance: "1", isLeaving: false });
  const stateOf = async (leaseMs: number) => (await read(leaseMs)).hosts[0]!.state;
  expect(await stateOf(60_000)).toBe("running");
  await expect.poll(() => stateOf(1)).toBe("late");
});
