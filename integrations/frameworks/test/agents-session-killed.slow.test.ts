import { randomInt } from "node:crypto";
import { delay, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { MembusSession } from "../src/openai-agents/index.js";

const KILLS = 12;

let stage: ChaosStage;
beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
});
afterAll(() => stage.close());

it("a session goes on while the host is killed again and again, and has each item once", async () => {
  const memory = await stage.client({ agent: "alice", retryTimeoutMs: 120_000 });
  const open = () => new MembusSession(memory, { sessionId: "talk", attemptsMax: 10_000 });
  let isKilling = true;
  const talking = (async () => {
    const session = open();
    let n = 0;
    for (; isKilling; n++) {
      await session.addItems([{ role: "user", content: n }]);
      await session.addItems([{ role: "user", content: "wrong" }]);
      expect(await session.popItem()).toEqual({ role: "user", content: "wrong" });
      if (n % 7 !== 0) continue;
      const items = await session.getItems();
      await session.replaceHistoryWithCompaction(items);
    }
    return n;
  })();
  for (let kill = 0; kill < KILLS; kill++) {
    await delay(systemClock, randomInt(50, 400));
    await stage.killHost();
    await stage.startHost();
  }
  isKilling = false;
  const count = await talking;
  const expected = Array.from({ length: count }, (_, n) => ({ role: "user", content: n }));
  expect(await open().getItems()).toEqual(expected);
});
