import { randomInt } from "node:crypto";
import { type Clock, delay, MemoryError, systemClock } from "@membus/protocol";

const ATTEMPTS_MAX = 16;
const PAUSE_FIRST_MS = 4;
const PAUSE_MAX_MS = 100;

export interface UpdateOptions<Exhausted = never> {
  /**
   * Maximum number of attempts, an integer. 0: `onExhausted` is called at once.
   * @default 16
   */
  readonly attemptsMax?: number | undefined;
  /** Returns the result after the last attempt. Absent: the call fails with `conflict`. */
  readonly onExhausted?: (() => Exhausted | Promise<Exhausted>) | undefined;
  /** Clock of the pauses. @default systemClock */
  readonly clock?: Clock | undefined;
}

/**
 * Updates entries that other writers may change at the same time. Calls `read`, `change` and `write` in turn, and
 * starts again with `read` after each conflict.
 *
 * Before each further attempt it waits a random time, up to 4 ms at first, doubled with each attempt, up to 100 ms.
 * Only conflicts are retried. The call fails with any error that a function throws.
 * @param read reads the current entries.
 * @param change returns the new entries, with the revisions that were read as `if_revision`. Runs once per attempt.
 * Ends the call without a write if it returns undefined.
 * @param write stores the new entries. Returns undefined after a `conflict`, otherwise a value.
 * @returns the value of `write`, undefined if `change` returned undefined, or the value of `onExhausted`.
 * @throws {MemoryError} `conflict` after `attemptsMax` conflicts, unless `onExhausted` is set.
 */
export async function updateWithRetry<Current, Next, Result, Exhausted = never>(
  read: () => Current | Promise<Current>,
  change: (current: Current) => Next | Promise<Next>,
  write: (next: Exclude<Next, undefined>) => Promise<Result | undefined>,
  { attemptsMax = ATTEMPTS_MAX, onExhausted, clock = systemClock }: UpdateOptions<Exhausted> = {},
): Promise<Result | Exhausted | Extract<Next, undefined>> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    if (attempt > 1) await pauseBefore(attempt, clock);
    const next = await change(await read());
    if (next === undefined) return next as Extract<Next, undefined>;
    const written = await write(next as Exclude<Next, undefined>);
    if (written !== undefined) return written;
  }
  if (onExhausted !== undefined) return onExhausted();
  throw new MemoryError("conflict", `other writers changed the entry ${attemptsMax} times. Try again`);
}

/** Waits a random time, so that two writers do not collide again. */
async function pauseBefore(attempt: number, clock: Clock): Promise<void> {
  const pauseMsMax = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** (attempt - 2));
  await delay(clock, randomInt(pauseMsMax) + 1);
}
