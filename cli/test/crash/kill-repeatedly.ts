import { delay, systemClock } from "@membus/protocol";
import type { ChaosStage } from "./chaos-stage.js";
import { Chance } from "./kill-loop/chance.js";

/** Largest number of completed calls between two kills. */
const CALLS_MAX = 20;

export interface Repeats {
  readonly kills: number;
  /** Returns the number of calls that the client has completed. */
  readonly completed: () => number;
  /** Client calls. A failure ends the kills. */
  readonly calls: Promise<unknown>;
}

/** Kills and restarts the host repeatedly, each time after 1 to 20 more completed calls. */
export async function killRepeatedly(stage: ChaosStage, { kills, completed, calls }: Repeats): Promise<void> {
  const chance = new Chance(1);
  for (let kill = 0; kill < kills; kill++) {
    const goal = completed() + chance.int(CALLS_MAX + 1, 1);
    while (completed() < goal) await Promise.race([delay(systemClock, 5), calls]);
    await stage.killHost();
    await stage.startHost();
  }
}
