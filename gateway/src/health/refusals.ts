import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { GatewayMetrics, RefusalCause } from "./gateway-metrics.js";

/** Seconds between two log lines about the same cause, so that clients cannot fill the log. */
const LOG_INTERVAL_S = 60;

/** Counts refused requests, and logs only their cause, because a request may contain a secret. */
export class Refusals {
  readonly #metrics: GatewayMetrics;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #untold = new Map<RefusalCause, { toldAt: number; count: number }>();

  constructor(metrics: GatewayMetrics, clock: Clock, logger: Logger) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#logger = logger;
  }

  add(cause: RefusalCause): void {
    this.#metrics.refused(cause);
    const now = this.#clock.now();
    const { toldAt, count } = this.#untold.get(cause) ?? { toldAt: Number.NEGATIVE_INFINITY, count: 0 };
    const isTold = now - toldAt >= LOG_INTERVAL_S;
    if (isTold) this.#logger.warn({ cause, count: count + 1 }, "refused");
    this.#untold.set(cause, isTold ? { toldAt: now, count: 0 } : { toldAt, count: count + 1 });
  }
}
