import type { Clock, Logger } from "@membus/protocol";
import type { Figures, RefusalCause } from "./figures.js";

/** A cause is told so often, so that nobody fills the log. */
const TOLD_EVERY_S = 60;

/** What was refused is counted, and logged by its cause alone: what was sent may hold a secret. */
export class Refusals {
  readonly #figures: Figures;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #untold = new Map<RefusalCause, { toldAt: number; count: number }>();

  constructor(figures: Figures, clock: Clock, logger: Logger) {
    this.#figures = figures;
    this.#clock = clock;
    this.#logger = logger;
  }

  add(cause: RefusalCause): void {
    this.#figures.refused(cause);
    const now = this.#clock.now();
    const { toldAt, count } = this.#untold.get(cause) ?? { toldAt: Number.NEGATIVE_INFINITY, count: 0 };
    const isTold = now - toldAt >= TOLD_EVERY_S;
    if (isTold) this.#logger.warn({ cause, count: count + 1 }, "refused");
    this.#untold.set(cause, isTold ? { toldAt: now, count: 0 } : { toldAt, count: count + 1 });
  }
}
