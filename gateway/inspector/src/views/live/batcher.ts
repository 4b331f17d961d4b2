import { after } from "../../clock.js";

/** Delivers items in batches. It keeps the newest `countMax` items of a batch. */
export class Batcher<T> {
  readonly #delayMs: number;
  readonly #countMax: number;
  readonly #handOn: (items: readonly T[]) => void;
  #items: T[] = [];
  #cancel: (() => void) | undefined;

  constructor(delayMs: number, countMax: number, handOn: (items: readonly T[]) => void) {
    this.#delayMs = delayMs;
    this.#countMax = countMax;
    this.#handOn = handOn;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length > 2 * this.#countMax) this.#items = this.#items.slice(-this.#countMax);
    this.#cancel ??= after(this.#delayMs, () => {
      const items = this.#items.slice(-this.#countMax);
      this.stop();
      this.#handOn(items);
    });
  }

  /** Stops, and drops items that were not delivered. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#items = [];
  }
}
