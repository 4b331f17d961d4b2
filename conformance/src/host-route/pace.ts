import { type Bus, encodeMessage, isMemoryError, systemClock } from "@membus/protocol";

const BURSTS = 5;
const PINGS = 16;
const PING_TIMEOUT_MS = 5_000;
/** What the suite's limits of time are for, with room for a machine that does other things too. */
const USUAL_MS = 5;
/** From here on a host is asked by one check at a time. */
const SLOW_MS = 15;
/** As many checks at once as keep a host of the usual kind busy. */
const CONCURRENCY = 8;
/** More requests than a check has under way, and than it sends in all. */
const BURST_MAX = 320;
const REQUESTS_MAX = 3_000;

/**
 * How fast a host answers requests of which many are under way. One that works on one after another keeps the protocol
 * all the same: it is waited for as long as it needs, and asked for less at once.
 */
export class Pace {
  /** Checks that may run side by side. */
  readonly concurrency: number;
  /** What a request takes beyond what is usual. */
  readonly #excessMs: number;

  constructor(requestMs: number) {
    this.concurrency = requestMs > SLOW_MS ? 1 : CONCURRENCY;
    this.#excessMs = Math.max(0, requestMs - USUAL_MS);
  }

  /** How much longer than usual a reply may take, of which others are in front. Milliseconds. */
  get replyMs(): number {
    return this.#excessMs * BURST_MAX;
  }

  /** The same of all that a check does while others run. */
  get checkMs(): number {
    return this.#excessMs * REQUESTS_MAX * this.concurrency;
  }
}

/**
 * By pings that are sent at once, of which the fastest burst counts: others may be at work meanwhile. That none is answered
 * is for checks to find.
 */
export async function measurePace(bus: Bus, subject: string): Promise<Pace> {
  const payload = encodeMessage({ type: "ping" }, "json");
  const ask = () => bus.request(subject, payload, { timeoutMs: PING_TIMEOUT_MS });
  let fastestMs = Number.POSITIVE_INFINITY;
  try {
    for (let burst = 0; burst < BURSTS && fastestMs > USUAL_MS; burst++) {
      const startedAt = systemClock.now();
      await Promise.all(Array.from({ length: PINGS }, ask));
      fastestMs = Math.min(fastestMs, ((systemClock.now() - startedAt) * 1_000) / PINGS);
    }
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return new Pace(0);
  }
  return new Pace(fastestMs);
}
