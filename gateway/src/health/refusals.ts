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
  readonly #unlogged = new Map<RefusalCause, { loggedAt: number; count: number }>();

  constructor(metrics: GatewayMetrics, clock: Clock, logger: Logger) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#logger = logger;
  }

  add(cause: RefusalCause): void {
    this.#metrics.refused(cause);
    const now = this.#clock.now();
    const { loggedAt, count } = this.#unlogged.get(cause) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 };
    const isLogged = now - loggedAt >= LOG_INTERVAL_S;
    if (isLogged) this.#logger.warn({ cause, count: count + 1 }, "refused");
    this.#unlogged.set(cause, isLogged ? { loggedAt: now, count: 0 } : { loggedAt, count: count + 1 });
  }
}
