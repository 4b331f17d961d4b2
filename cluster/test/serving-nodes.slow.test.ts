import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { leaderOf, nodesWith } from "./nats-cluster-fixture.js";
import { expectNoProblems, goOn, ServingFixture, serveHalf } from "./serving-fixture.js";

const SECRET = "s3cret-5b1d7e90";

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

it("a purge leaves the bytes on no node and in no object", async () => {
  const { start, agents, histories } = await fixture.startCluster("purged");
  await serveHalf(start("a"), start("b"));
  const [alice] = agents;
  await alice!.remember("secret", SECRET, { tier: "episodic" });
  await expect.poll(() => nodesWith(fixture.nats, SECRET)).toEqual(["n1", "n2", "n3"]);
  await goOn(histories);
  await alice!.forget({ keys: ["secret"], tier: "episodic", purge: true }, { timeoutMs: 60_000 });
  const { store } = fixture.s3;
  expect(await nodesWith(fixture.nats, SECRET)).toEqual([]);
  expect(store.keys.filter((key) => store.get(key)!.body.includes(SECRET))).toEqual([]);
  await expectNoProblems(histories);
});
