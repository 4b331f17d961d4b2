import { randomInt } from "node:crypto";
import { delay, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, it } from "vitest";
import { LearningStage } from "./learning-stage.js";

const KILLS = 50;

let stage: LearningStage;

beforeAll(async () => {
  stage = await LearningStage.open(100);
});
afterAll(() => stage.close());

it("learners that are killed repeatedly learn each message once and share the work", async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    for (let n = 0; n < 2; n++) await stage.talk();
    await stage.progress(randomInt(1, 4));
    await delay(systemClock, randomInt(40));
    const victim = stage.learners[randomInt(2)]!;
    await victim.kill();
    victim.start();
  }
  await stage.talkToTheEnd();
  await stage.expectEachOnce();
});
