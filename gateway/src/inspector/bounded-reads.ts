import type { Clock } from "@membus/protocol";

export interface ReadBounds {
  /** Number of reads. */
  readonly countMax: number;
  /** Number of reads at the same time. */
  readonly concurrency: number;
  /** Seconds in which reads may start. */
  readonly startWithinS: number;
}

const DEFAULTS: ReadBounds = { countMax: 120, concurrency: 8, startWithinS: 10 };

/** Reads figures of one response within bounds. A read that fails or does not fit has no result: null. */
export class BoundedReads {
  readonly #clock: Clock;
  readonly #bounds: ReadBounds;
  readonly #endsAt: number;
  readonly #waiting: (() => void)[] = [];
  #count = 0;
  #running = 0;

  constructor(clock: Clock, bounds: Partial<ReadBounds> = {}) {
    this.#clock = clock;
    this.#bounds = { ...DEFAULTS, ...bounds };
    this.#endsAt = clock.now() + this.#bounds.startWithinS;
  }

  async read<T>(run: () => Promise<T>): Promise<T | null> {
    if (this.#count++ >= this.#bounds.countMax) return null;
    if (this.#running >= this.#bounds.concurrency) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return this.#clock.now() < this.#endsAt ? await run() : null;
    } catch {
      return null;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
