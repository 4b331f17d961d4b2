import type { Clock } from "@membus/protocol";

/** Work done ahead of its rate: a small amount never waits. */
const BURST_S = 1;

/** Spreads work over time. */
export class Pace {
  /** Unix seconds up to which the work so far is paid for. */
  #paidTo = 0;

  constructor(
    readonly clock: Clock,
    readonly perSecondMax: number,
  ) {}

  /** Takes so much more, and tells how many milliseconds to wait before the next. */
  take(count: number): number {
    const now = this.clock.now();
    this.#paidTo = Math.max(this.#paidTo, now - BURST_S) + count / this.perSecondMax;
    return Math.max(0, (this.#paidTo - now) * 1_000);
  }
}
