import { MemoryError } from "@membus/protocol";

/** Returns the error of a request for a shard that this host does not serve. The sender repeats the request. */
export function shardMoved(
  message: string,
  { cause, retryAfterMs = 100 }: { readonly cause?: unknown; readonly retryAfterMs?: number } = {},
): MemoryError {
  const detail = { reason: "shard_moved", retry_after_ms: retryAfterMs };
  return new MemoryError("unavailable", message, detail, { cause });
}
