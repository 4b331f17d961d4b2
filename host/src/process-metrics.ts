import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "@membus/protocol";

const WINDOW_MS = 10_000;
/** Sampling interval of the event loop delay. Long enough to cost an idle host nothing. */
const RESOLUTION_MS = 50;
const NS_PER_MS = 1e6;

/** Statistics of the process that the host runs in. */
export interface ProcessStats {
  readonly rss_bytes: number;
  /** Event loop delay in the last completed ten-second window, 0 before the first. */
  readonly event_loop_delay_mean_ms: number;
  readonly event_loop_delay_p99_ms: number;
  readonly event_loop_delay_max_ms: number;
}

const NO_MEASUREMENT = Object.freeze({
  event_loop_delay_mean_ms: 0,
  event_loop_delay_p99_ms: 0,
  event_loop_delay_max_ms: 0,
});

/** Measures the process while the host serves. */
export class ProcessMetrics {
  readonly #clock: Clock;
  #delay: IntervalHistogram | undefined;
  #latest: Omit<ProcessStats, "rss_bytes"> = NO_MEASUREMENT;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
    this.#scheduleWindowEnd(this.#delay);
  }

  stop(): void {
    this.#cancel?.();
    this.#delay?.disable();
  }

  stats(): ProcessStats {
    return { rss_bytes: process.memoryUsage.rss(), ...this.#latest };
  }

  #scheduleWindowEnd(delay: IntervalHistogram): void {
    const end = () => {
      this.#latest = {
        event_loop_delay_mean_ms: milliseconds(delay.mean),
        event_loop_delay_p99_ms: milliseconds(delay.percentile(99)),
        event_loop_delay_max_ms: milliseconds(delay.max),
      };
      delay.reset();
      this.#scheduleWindowEnd(delay);
    };
    this.#cancel = this.#clock.after(WINDOW_MS, end, { background: true });
  }
}

/** Converts nanoseconds. NaN means that nothing was measured. */
function milliseconds(nanoseconds: number): number {
  return Number.isNaN(nanoseconds) ? 0 : Math.round(nanoseconds / NS_PER_MS);
}
