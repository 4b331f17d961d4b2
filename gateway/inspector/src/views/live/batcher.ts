import { after } from "../../clock.js";

/** Hands on together what comes within some time; of more than `countMax` the latest. */
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

  /** What has not been handed on is dropped. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#items = [];
  }
}
