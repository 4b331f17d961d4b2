import { afterAll, beforeAll, it } from "vitest";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import { LearningStage, PROGRESS } from "./learning-stage.js";

/** Takes more than a minute, because the host restarts after each kill. */
const KILLS = 12;
const chance = new Chance(1);

let stage: LearningStage;

beforeAll(async () => {
  stage = await LearningStage.open(60);
});
afterAll(() => stage.close());

/** Kills the host, sometimes with a learner, or the nats-server. The others continue. */
async function killSome(kill: number): Promise<void> {
  const victim = kill % 4 === 3 ? chance.one(stage.learners) : undefined;
  const hasServer = kill % 5 === 4;
  if (hasServer) {
    await Promise.all(stage.learners.map((learner) => learner.started()));
    await stage.chaos.killServer();
  }
  await Promise.all([stage.chaos.killHost(), victim?.kill()]);
  if (hasServer) await stage.chaos.startServer();
  await stage.chaos.startHost();
  victim?.start();
}

it("learners continue after repeated kills of the host and learn each message once", async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    for (let n = 0; n < 2; n++) await stage.addMessages();
    await stage.progress(chance.int(4, 1), chance.one(PROGRESS));
    await killSome(kill);
  }
  await stage.addRemainingMessages();
  await stage.expectEachOnce();
});
