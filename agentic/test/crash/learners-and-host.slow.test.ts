import { randomInt } from "node:crypto";
import { delay, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, it } from "vitest";
import { LearningStage } from "./learning-stage.js";

const KILLS = 25;

let stage: LearningStage;

beforeAll(async () => {
  stage = await LearningStage.open(60);
});
afterAll(() => stage.close());

/** Kills the host, sometimes with a learner, or the nats-server. The others continue. */
async function killSome(kill: number): Promise<void> {
  const victim = kill % 4 === 3 ? stage.learners[randomInt(2)]! : undefined;
  const hasServer = kill % 5 === 4;
  if (hasServer) {
    await Promise.all(stage.learners.map((learner) => learner.begun()));
    await stage.chaos.killServer();
  }
  await Promise.all([stage.chaos.killHost(), victim?.kill()]);
  await delay(systemClock, randomInt(300));
  if (hasServer) await stage.chaos.startServer();
  await stage.chaos.startHost();
  victim?.start();
}

it("learners continue after repeated kills of the host and learn each message once", async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    for (let n = 0; n < 2; n++) await stage.talk();
    await stage.progress(randomInt(1, 4));
    await delay(systemClock, randomInt(60));
    await killSome(kill);
  }
  await stage.talkToTheEnd();
  await stage.expectEachOnce();
});
