import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "@membus/protocol";

const WINDOW_MS = 10_000;
/** How often the loop is looked at: seldom enough to cost an idle host nothing. */
const RESOLUTION_MS = 50;
const NS_A_MS = 1e6;

/** Of the process that the host runs in. */
export interface ProcessStats {
  readonly rss_bytes: number;
  /** How late the event loop was, in the latest ten seconds that are over; 0 before. */
  readonly event_loop_delay_mean_ms: number;
  readonly event_loop_delay_p99_ms: number;
  readonly event_loop_delay_max_ms: number;
}

const NOTHING_YET = Object.freeze({
  event_loop_delay_mean_ms: 0,
  event_loop_delay_p99_ms: 0,
  event_loop_delay_max_ms: 0,
});

/** Measures the process while the host serves. */
export class ProcessFigures {
  readonly #clock: Clock;
  #delay: IntervalHistogram | undefined;
  #latest: Omit<ProcessStats, "rss_bytes"> = NOTHING_YET;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
    this.#endWindowLater(this.#delay);
  }

  stop(): void {
    this.#cancel?.();
    this.#delay?.disable();
  }

  stats(): ProcessStats {
    return { rss_bytes: process.memoryUsage.rss(), ...this.#latest };
  }

  #endWindowLater(delay: IntervalHistogram): void {
    const end = () => {
      this.#latest = {
        event_loop_delay_mean_ms: milliseconds(delay.mean),
        event_loop_delay_p99_ms: milliseconds(delay.percentile(99)),
        event_loop_delay_max_ms: milliseconds(delay.max),
      };
      delay.reset();
      this.#endWindowLater(delay);
    };
    this.#cancel = this.#clock.after(WINDOW_MS, end, { background: true });
  }
}

/** What was never measured is not a number. */
function milliseconds(nanoseconds: number): number {
  return Number.isNaN(nanoseconds) ? 0 : Math.round(nanoseconds / NS_A_MS);
}
