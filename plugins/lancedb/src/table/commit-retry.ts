import { randomInt } from "node:crypto";
import { type Clock, delay } from "@membus/protocol";

const ATTEMPTS = 8;
const PAUSE_MS = 10;

/** Retries a commit after a commit conflict in LanceDB, which has no effect. */
export async function retryCommit<T>(clock: Clock, commit: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await commit();
    } catch (error) {
      if (attempt === ATTEMPTS || !isCommitConflict(error)) throw error;
      await delay(clock, randomInt(PAUSE_MS, PAUSE_MS * 2 ** attempt));
    }
  }
}

function isCommitConflict(error: unknown): boolean {
  return error instanceof Error && /commit conflict/i.test(error.message);
}
