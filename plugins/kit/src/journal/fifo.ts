/** Places that were passed before the array is cut to what is left. */
const PASSED_MAX = 1_024;

/** First in, first out, each step in constant time on average. */
export class Fifo<T> {
  #values: (T | undefined)[] = [];
  #passedCount = 0;

  get first(): T | undefined {
    return this.#values[this.#passedCount];
  }

  push(value: T): void {
    this.#values.push(value);
  }

  shift(): void {
    if (this.#passedCount === this.#values.length) return;
    this.#values[this.#passedCount++] = undefined;
    if (this.#passedCount < Math.max(PASSED_MAX, this.#values.length / 2)) return;
    this.#values = this.#values.slice(this.#passedCount);
    this.#passedCount = 0;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#passedCount; at < this.#values.length; at++) yield this.#values[at]!;
  }
}
