import { MemoryError } from "@membus/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { MemoryClient } from "../../agent-client/src/index.js";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { type ClusterBucket, type OwnedShard, shardOf } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { mappingLines } from "./mapping-lines.js";
import { ServingHost, type ServingParts, SHARD_COUNT } from "./serving-host.js";

const EPISODIC = { tier: "episodic" } as const;
/** Tenants of all shards. */
const TENANTS = Array.from({ length: 40 }, (_, index) => `tenant-${index}`);

let fixture: ClusterFixture;
let bucket: ClusterBucket;
let directory: string;

beforeAll(async () => {
  fixture = await ClusterFixture.open(mappingLines(SHARD_COUNT));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  bucket = await fixture.openBucket();
  const files = new NatsFixture();
  directory = await files.folder();
  onTestFinished(() => files.close());
});

async function startHost(name: string, parts: Partial<ServingParts> = {}): Promise<ServingHost> {
  const host = await ServingHost.start(fixture, { name, bucket, directory, ...parts });
  onTestFinished(() => host.stop());
  return host;
}

async function client(tenant: string): Promise<MemoryClient> {
  const opened = await MemoryClient.connect({
    servers: fixture.url,
    tenant,
    agent: "alice",
    timeoutMs: 60_000,
  });
  onTestFinished(() => opened.close());
  return opened;
}

async function startTwo(): Promise<[ServingHost, ServingHost]> {
  const both: [ServingHost, ServingHost] = [await startHost("a"), await startHost("b")];
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

  it("keep every acknowledged store and no forgotten one while one of them stops", async () => {
    const [first] = await startTwo();
    const alice = await client("tenant-0");
    let stopped = false;
    const stores: number[] = [];
    const writing = (async () => {
      for (let at = 0; !stopped || at < 50; at++) {
        await alice.remember(`k${at}`, at, EPISODIC);
        stores.push(at);
        if (at % 10 === 9) await alice.forget({ keys: [`k${at}`], tier: "episodic" });
      }
    })();
    await expect.poll(() => stores.length).toBeGreaterThan(20);
    await first.stop();
    stopped = true;
    await writing;
    const kept = stores.filter((at) => at % 10 !== 9);
    const found: unknown[] = [];
    for await (const { content } of alice.entries({ tier: "episodic" })) found.push(content);
    expect(found.toSorted((a, b) => Number(a) - Number(b))).toEqual(kept);
  });

  it("open a shard again if its place cannot be reached", async () => {
    let failures = 0;
    const beforeOpen = async ({ shard }: OwnedShard) => {
      if (shard === 3 && ++failures === 1) throw new MemoryError("unavailable", "the store does not answer");
    };
    const host = await startHost("a", { beforeOpen });
    await expect.poll(() => host.shardCount).toBe(SHARD_COUNT);
    expect(failures).toBe(2);
  });
});
