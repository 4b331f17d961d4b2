import type { MonotonicClock } from "@membus/protocol";
import { FakeClock } from "../../host/test/fake-clock.js";

/** Monotonic clock that only moves when the test advances it. */
export class TestClock implements MonotonicClock {
  readonly #clock = new FakeClock();
  readonly #start = this.#clock.now();
  #suspendedUntil = 0;

  elapsedMs(): number {
    return Math.max(this.#timersMs, this.#suspendedUntil);
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#clock.after(delayMs, run);
  }

  /** Lets time pass without timers, as in a suspended process. The next `advance` runs those that are due. */
  suspend(ms: number): void {
    this.#suspendedUntil = this.elapsedMs() + ms;
  }

  async advance(ms: number): Promise<void> {
    await this.#clock.advance(Math.max(this.#suspendedUntil - this.#timersMs, 0));
    await this.#clock.advance(ms);
  }

  get #timersMs(): number {
    return Math.round((this.#clock.now() - this.#start) * 1_000);
  }
}
