import { delay, type MonotonicClock } from "@membus/protocol";
import { isTemporary } from "../bucket/index.js";
import type { ShardHold } from "./shard-hold.js";

const RETRY_MS = 100;

/**
 * Repeats a request until the servers answer it. The hold has the error of the last attempt.
 * @throws {MemoryError} `unavailable` once the shard is lost. Else the errors of the request.
 */
export async function repeatWhileOwned<T>(
  { hold, clock }: { readonly hold: ShardHold; readonly clock: MonotonicClock },
  request: () => Promise<T>,
): Promise<T> {
  for (;;) {
    await hold.untilOwned();
    try {
      const answer = await request();
      hold.obstacle = undefined;
      return answer;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      hold.obstacle = error;
      await delay(clock, RETRY_MS);
    }
  }
}
