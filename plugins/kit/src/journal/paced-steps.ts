import { systemClock } from "@membus/protocol";
import { STRETCH_S } from "../stretch.js";
import { Fifo } from "./fifo.js";

/** Runs steps in the order of the calls: at once, or after other requests where steps together have taken long. */
export class PacedSteps {
  readonly #waiting = new Fifo<() => void>();
  /** How long steps took since others were let in. */
  #busyS = 0;

  /** @returns undefined for a step that has run by now, else when it has; rejects with what it throws. */
  run(step: () => void): Promise<void> | undefined {
    if (this.#waiting.first === undefined && this.#busyS < STRETCH_S) return this.#take(step);
    return new Promise((resolve, reject) => {
      if (this.#waiting.first === undefined) setImmediate(() => this.#runWaiting());
      this.#waiting.push(() => {
        try {
          resolve(this.#take(step));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #take(step: () => void): undefined {
    const begunAt = systemClock.now();
    step();
    this.#busyS += systemClock.now() - begunAt;
  }

  /** A step stays the first until it has run, so that none passes it. */
  #runWaiting(): void {
    this.#busyS = 0;
    for (let step = this.#waiting.first; step !== undefined; step = this.#waiting.first) {
      if (this.#busyS >= STRETCH_S) return void setImmediate(() => this.#runWaiting());
      step();
      this.#waiting.shift();
    }
  }
}
