import type { MemoryError } from "@membus/protocol";
import { shardMoved } from "../ownership/index.js";
import type { ShardHold } from "../place/index.js";

const RETRY_AFTER_MS = 500;

/**
 * Gives the shard up, because only its next owner can find out which records the log has.
 * @returns the error for all callers that wait.
 */
export function lostLog(hold: ShardHold, reason: string, cause?: unknown): MemoryError {
  if (!hold.isLost) hold.lose(reason);
  return shardMoved(`the shard moves to another owner: ${reason}`, { cause, retryAfterMs: RETRY_AFTER_MS });
}
