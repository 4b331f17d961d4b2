import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { connectAlice } from "./connect-alice.js";
import { leaderOf, nodesWith } from "./nats-cluster-fixture.js";
import { expectNoProblems, goOn, ServingFixture, serveHalf } from "./serving-fixture.js";
import { SHARD_COUNT } from "./serving-host.js";

const SECRET = "s3cret-5b1d7e90";
const EPISODIC = { tier: "episodic" } as const;

let fixture: ServingFixture;
beforeAll(async () => {
  if (isRecent) fixture = await ServingFixture.open();
});
afterAll(() => fixture?.close());
beforeEach(requireRecentServer);

it("kill -9 of the node that leads the bucket loses nothing acknowledged", async () => {
  const { start, histories } = await fixture.startCluster("nodes");
  await serveHalf(start("a"), start("b"));
  for (let round = 0; round < 2; round++) {
    await goOn(histories);
    const node = await leaderOf(fixture.nats, "KV_nodes");
    await node.kill();
    await goOn(histories);
    await node.start();
    await fixture.nats.ready();
  }
  await expectNoProblems(histories);
});

const objectsWith = (text: string) => {
  const { store } = fixture.s3;
  return store.keys.filter((key) => store.get(key)!.body.includes(text));
};

it("a purge leaves the bytes on no node and in no object", async () => {
  const { start, agents, histories } = await fixture.startCluster("purged");
  await serveHalf(start("a"), start("b"));
  const [alice] = agents;
  await alice!.remember("secret", SECRET, EPISODIC);
  await expect.poll(() => nodesWith(fixture.nats, SECRET)).toEqual(["n1", "n2", "n3"]);
  await goOn(histories);
  await alice!.forget({ keys: ["secret"], ...EPISODIC, purge: true }, { timeoutMs: 60_000 });
  expect(await nodesWith(fixture.nats, SECRET)).toEqual([]);
  expect(objectsWith(SECRET)).toEqual([]);
  await expectNoProblems(histories);
});

/** A host that erases within 20 seconds, and an agent with an entry that its tables and its log have. */
async function startTimed(cluster: string) {
  const start = await fixture.createCluster(cluster);
  await start("a", { flushIdleMs: 100, eraseWithinS: 20, segmentS: 4 }).serves(SHARD_COUNT);
  const alice = await connectAlice(fixture.nats.cluster.urls, "tenant-0");
  await alice.remember("secret", SECRET, EPISODIC);
  await expect.poll(() => objectsWith(SECRET)).not.toEqual([]);
  const forget = async () => (await alice.forget({ keys: ["secret"], ...EPISODIC })).requestId;
  return { alice, forget };
}

it("a forget without a purge leaves the bytes on no node and in no object once its time is over", async () => {
  const { alice, forget } = await startTimed("timed");
  await alice.remember("kept", "a walk by the river", EPISODIC);
  const id = await forget();
  const scheduled = await alice.forgetStatus(id);
  expect(scheduled).toMatchObject({ purge: "scheduled", purge_by: expect.any(Number) });
  await expect.poll(() => alice.forgetStatus(id)).toMatchObject({ purge: "done" });
  expect(await nodesWith(fixture.nats, SECRET)).toEqual([]);
  expect(objectsWith(SECRET)).toEqual([]);
  expect((await alice.forgetStatus(id)).purged_at).toBeLessThanOrEqual(scheduled.purge_by!);
  expect((await alice.retrieve({ keys: ["kept"], ...EPISODIC })).entries).toHaveLength(1);
});

it("a forget stays scheduled while a node with the log is down, says why, and is done after its start", async () => {
  const { alice, forget } = await startTimed("down");
  const [node] = fixture.nats.cluster.nodes;
  await node!.kill();
  const id = await forget();
  await expect
    .poll(() => alice.forgetStatus(id))
    .toMatchObject({ purge: "scheduled", purge_reason: "replica_down" });
  await expect.poll(() => objectsWith(SECRET)).toEqual([]);
  await node!.start();
  await expect.poll(() => alice.forgetStatus(id)).toMatchObject({ purge: "done" });
  expect(await nodesWith(fixture.nats, SECRET)).toEqual([]);
});
