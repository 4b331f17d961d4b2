import { afterAll, beforeAll, beforeEach, it } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { expectNoProblems, goOn, ServingFixture, serveHalf } from "./serving-fixture.js";
import { SHARD_COUNT } from "./serving-host.js";

let fixture: ServingFixture;
beforeAll(async () => {
  if (isRecent) fixture = await ServingFixture.open();
});
afterAll(() => fixture?.close());
beforeEach(requireRecentServer);

it("kill -9 of hosts loses nothing acknowledged, and nothing forgotten comes back", async () => {
  const { start, histories } = await fixture.startCluster("killed");
  let [owner, other] = [start("a"), start("b")];
  for (let round = 0; round < 3; round++) {
    await serveHalf(owner, other);
    await goOn(histories);
    await owner.kill();
    await other.serves(SHARD_COUNT);
    await goOn(histories);
    [owner, other] = [other, start(round % 2 === 0 ? "a" : "b")];
  }
  await expectNoProblems(histories);
});

it("a host that is stopped for longer than its lease answers nothing from lost shards", async () => {
  const { start, histories } = await fixture.startCluster("stopped");
  const [stopped, other] = [start("a"), start("b")];
  await serveHalf(stopped, other);
  await goOn(histories);
  stopped.process.kill("SIGSTOP");
  await other.serves(SHARD_COUNT);
  await goOn(histories);
  stopped.process.kill("SIGCONT");
  await serveHalf(stopped, other);
  await goOn(histories);
  await expectNoProblems(histories);
});
