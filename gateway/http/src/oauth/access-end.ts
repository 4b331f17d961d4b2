import type { Clock } from "@membus/protocol";

/** The longest delay of a timer. A stream of a token that lasts longer ends after 24 days. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/**
 * Calls `end` when the access token of a stream expires.
 * @param expiresAt Unix seconds. Undefined: the access does not end.
 * @returns a function that cancels the call.
 */
export function endWithAccess(clock: Clock, expiresAt: number | undefined, end: () => void): () => void {
  if (expiresAt === undefined) return () => {};
  const leftMs = Math.min(Math.max(0, (expiresAt - clock.now()) * 1_000), DELAY_MS_MAX);
  return clock.after(leftMs, end, { background: true });
}
