import { encodeMessage, isMemoryError, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";

const BURSTS = 5;
const PINGS = 16;
const PING_TIMEOUT_MS = 5_000;
/**
 * Request time in milliseconds up to which the suite's normal time limits apply. It includes a margin for a
 * busy machine.
 */
const USUAL_MS = 5;
/** Request time in milliseconds above which only one check runs at a time. */
const SLOW_MS = 15;
/** Number of concurrent checks that keep a typical host busy. */
const CONCURRENCY = 8;
/** Upper bounds for the concurrent requests of a check, and for all its requests. */
const BURST_MAX = 320;
const REQUESTS_MAX = 3_000;

/**
 * Speed of a host under concurrent requests. A slow host may be correct, so it gets more time and fewer
 * concurrent checks.
 */
export class Pace {
  /** Number of checks that may run concurrently. */
  readonly concurrency: number;
  /** Time of a request above the usual time, in milliseconds. */
  readonly #excessMs: number;

  constructor(requestMs: number) {
    this.concurrency = requestMs > SLOW_MS ? 1 : CONCURRENCY;
    this.#excessMs = Math.max(0, requestMs - USUAL_MS);
  }

  /** Additional time for a reply that waits behind other requests, in milliseconds. */
  get replyMs(): number {
    return this.#excessMs * BURST_MAX;
  }

  /** Additional time for a whole check, in milliseconds. */
  get checkMs(): number {
    return this.#excessMs * REQUESTS_MAX * this.concurrency;
  }
}

/**
 * Measures the pace with bursts of concurrent pings. The fastest burst counts, because other work may slow
 * some bursts.
 *
 * Unanswered pings count as usual speed, because the checks report them.
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
