import type { Clock } from "@membus/protocol";

/** A sleep that other code can end. */
export class Wakeup {
  readonly #clock: Clock;
  #wake: () => void = () => {};
  #isAwaited = false;
  #isPending = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sleeps for `delayMs` or until woken. Returns at once if it was woken since the last sleep. */
  async sleep(delayMs: number): Promise<void> {
    if (!this.#isPending) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(delayMs, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#isPending = false;
    this.#wake = () => {};
  }

  /** Wakes after `delayMs`. Calls before that have no effect. */
  wakeIn(delayMs: number): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    const wake = () => {
      this.#isAwaited = false;
      this.wakeNow();
    };
    this.#clock.after(delayMs, wake, { background: true });
  }

  wakeNow(): void {
    this.#isPending = true;
    this.#wake();
  }
}
