import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { connectAlice } from "./connect-alice.js";
import { leaderOf, nodesWith } from "./nats-cluster-fixture.js";
import { expectNoProblems, goOn, ServingFixture, serveHalf } from "./serving-fixture.js";

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

it("a forget without a purge leaves the bytes on no node and in no object once its time is over", async () => {
  const start = await fixture.createCluster("timed");
  const timing = { flushIdleMs: 100, eraseWithinS: 20, segmentS: 4 };
  await serveHalf(start("a", timing), start("b", timing));
  const alice = await connectAlice(fixture.nats.cluster.urls, "tenant-0");
  await alice.remember("kept", "a walk by the river", EPISODIC);
  await alice.remember("secret", SECRET, EPISODIC);
  await expect.poll(() => objectsWith(SECRET)).not.toEqual([]);
  const { requestId } = await alice.forget({ keys: ["secret"], ...EPISODIC });
  const scheduled = await alice.forgetStatus(requestId);
  expect(scheduled).toMatchObject({ purge: "scheduled", purge_by: expect.any(Number) });
  await expect.poll(() => alice.forgetStatus(requestId)).toMatchObject({ purge: "done" });
  expect(await nodesWith(fixture.nats, SECRET)).toEqual([]);
  expect(objectsWith(SECRET)).toEqual([]);
  expect((await alice.forgetStatus(requestId)).purged_at).toBeLessThanOrEqual(scheduled.purge_by!);
  expect((await alice.retrieve({ keys: ["kept"], ...EPISODIC })).entries).toHaveLength(1);
});
