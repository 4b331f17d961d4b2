import { afterAll, beforeAll, it } from "vitest";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import { LearningStage, PROGRESS } from "./learning-stage.js";

/** Takes more than a minute, because each killed learner restarts and its lease of 300 ms must expire. */
const KILLS = 25;

let stage: LearningStage;

beforeAll(async () => {
  stage = await LearningStage.open(100);
});
afterAll(() => stage.close());

it("learners that are killed repeatedly learn each message once and share the work", async () => {
  const chance = new Chance(1);
  for (let kill = 0; kill < KILLS; kill++) {
    for (let n = 0; n < 2; n++) await stage.addMessages();
    await stage.progress(chance.int(4, 1), chance.one(PROGRESS));
    const victim = chance.one(stage.learners);
    await victim.kill();
    victim.start();
  }
  await stage.addRemainingMessages();
  await stage.expectEachOnce();
});
