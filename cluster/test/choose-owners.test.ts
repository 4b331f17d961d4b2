import { MemoryError } from "@membus/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ClusterBucket, drainHost, pinShard } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { type TestHost, TestHosts } from "./test-hosts.js";

let fixture: ClusterFixture;
let bucket: ClusterBucket;
let hosts: TestHosts;
let a: TestHost;
let b: TestHost;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());

/** Two hosts: the first one owns the shards 0 and 3, the second one 1 and 2. */
beforeEach(async () => {
  bucket = await fixture.openBucket();
  hosts = new TestHosts(bucket);
  a = hosts.start({ host: "a" });
  await hosts.advance(300);
  b = hosts.start({ host: "b" });
  await hosts.advance(2_000);
  expect(hosts.owners()).toEqual([[0], [1], [1], [0]]);
});

describe("a drained host", () => {
  it("gives its shards away and takes none until that is undone", async () => {
    await drainHost(bucket, "a", true);
    await hosts.advance(3_000);
    expect(hosts.owners()).toEqual([[1], [1], [1], [1]]);
    await drainHost(bucket, "a", false);
    await hosts.advance(3_000);
    expect(hosts.owners()).toEqual([[0], [1], [1], [0]]);
  });

  it("takes shards again after a restart", async () => {
    await drainHost(bucket, "a", true);
    await hosts.advance(3_000);
    await hosts.during(a.ownership.stop());
    hosts.start({ host: "a" });
    await hosts.advance(3_000);
    expect(hosts.owners()).toEqual([[2], [1], [1], [2]]);
  });

  it("keeps its shards if no other host takes them", async () => {
    await drainHost(bucket, "a", true);
    await drainHost(bucket, "b", true);
    await hosts.advance(30_000);
    expect(hosts.owners().flat()).toHaveLength(4);
  });

  it("takes the shards of the last other host", async () => {
    await drainHost(bucket, "a", true);
    await hosts.advance(3_000);
    await hosts.during(b.ownership.stop());
    await hosts.advance(3_000);
    expect(hosts.owners()).toEqual([[0], [0], [0], [0]]);
  });

  it("stays drained after its lease has ended", async () => {
    let isCut = true;
    a.link.before = async () => {
      if (isCut) throw new MemoryError("unavailable", "the servers do not answer");
    };
    await hosts.advance(9_000);
    await drainHost(bucket, "a", true);
    isCut = false;
    await hosts.advance(30_000);
    expect(hosts.owners()).toEqual([[1], [1], [1], [1]]);
  });

  it("leaves when it is stopped, also if the drain is undone while it flushes", async () => {
    let flushed: () => void = () => {};
    a.flush = new Promise((resolve) => {
      flushed = resolve;
    });
    const stopping = a.ownership.stop();
    await hosts.advance(300);
    await drainHost(bucket, "a", false);
    await hosts.advance(3_000);
    flushed();
    await hosts.during(stopping);
    await hosts.advance(1_000);
    expect(hosts.owners()).toEqual([[1], [1], [1], [1]]);
  });

  it("must run", async () => {
    const refusal = { code: "conflict", message: "no host c runs in this cluster" };
    await expect(drainHost(bucket, "c", true)).rejects.toMatchObject(refusal);
  });
});

describe("a moved shard", () => {
  it("stays at its host until that is undone", async () => {
    await pinShard(bucket, 0, "b");
    await hosts.advance(30_000);
    expect(hosts.owners()).toEqual([[1], [1], [1], [0]]);
    await pinShard(bucket, 0, undefined);
    await hosts.advance(2_000);
    expect(hosts.owners()).toEqual([[0], [1], [1], [0]]);
  });

  it("goes to another host while its host does not run", async () => {
    await pinShard(bucket, 1, "a");
    await hosts.advance(2_000);
    expect(hosts.owners()).toEqual([[0], [0], [1], [0]]);
    await hosts.during(a.ownership.stop());
    await hosts.advance(2_000);
    expect(hosts.owners()).toEqual([[1], [1], [1], [1]]);
    hosts.start({ host: "a" });
    await hosts.advance(2_000);
    expect(hosts.owners()).toEqual([[2], [2], [1], [2]]);
  });

  it("stays where it is if its host is unknown", async () => {
    await pinShard(bucket, 0, "z");
    await hosts.advance(2_000);
    expect(hosts.owners()).toEqual([[0], [1], [1], [0]]);
  });
});
