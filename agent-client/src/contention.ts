import { randomInt } from "node:crypto";
import { type Clock, delay } from "@membus/protocol";

const PAUSE_FIRST_MS = 2;
const PAUSE_MAX_MS = 100;

/**
 * Waits before a change is retried after a conflict with another writer. The pause is random, so that two
 * writers do not collide again, and its maximum doubles with each attempt. `attempt` counts from 1.
 */
export async function pauseAfterConflict(attempt: number, clock: Clock): Promise<void> {
  const most = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** attempt);
  await delay(clock, randomInt(most) + 1);
}
