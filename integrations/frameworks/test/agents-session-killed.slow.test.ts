import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { killRepeatedly } from "../../../cli/test/crash/kill-repeatedly.js";
import { MembusSession } from "../src/openai-agents/index.js";

const KILLS = 6;

let stage: ChaosStage;
beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
});
afterAll(() => stage.close());

it("continues while the host is killed repeatedly, and stores each item once", async () => {
  const memory = await stage.client({ agent: "alice", retryTimeoutMs: 120_000 });
  const open = () => new MembusSession(memory, { sessionId: "talk", attemptsMax: 10_000 });
  let isKilling = true;
  let count = 0;
  const talking = (async () => {
    const session = open();
    for (; isKilling; count++) {
      await session.addItems([{ role: "user", content: count }]);
      await session.addItems([{ role: "user", content: "wrong" }]);
      expect(await session.popItem()).toEqual({ role: "user", content: "wrong" });
      if (count % 7 !== 0) continue;
      const items = await session.getItems();
      await session.replaceHistoryWithCompaction(items);
    }
  })();
  await killRepeatedly(stage, { kills: KILLS, completed: () => count, calls: talking });
  isKilling = false;
  await talking;
  const expected = Array.from({ length: count }, (_, n) => ({ role: "user", content: n }));
  expect(await open().getItems()).toEqual(expected);
});
