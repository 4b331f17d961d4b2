import type { Clock } from "@membus/protocol";
import { entriesPerS, rateText } from "../terminal/progress-bar.js";
import type { TierProgress } from "./tier-progress.js";

interface Observation {
  readonly done: number;
  readonly at: number;
}

/** Measures how fast tiers are re-indexed, from their first observation. */
export class ReindexRates {
  readonly #clock: Clock;
  readonly #first = new Map<string, Observation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the rate and the remaining time, empty for the first observation of a tier. */
  textOf({ host_id, tier, generation, done, total }: TierProgress): string {
    const at = this.#clock.now();
    const name = `${host_id} ${tier} ${generation}`;
    const first = this.#first.get(name) ?? { done, at };
    this.#first.set(name, first);
    const span = { done: done - first.done, left: Math.max(0, total - done), elapsedS: at - first.at };
    return rateText(span, entriesPerS);
  }
}
