/**
 * Runs what is pushed in order and later: never within the push itself, and timers and sockets of the process get
 * their turn between two batches.
 */
export class DeliveryQueue {
  #waiting: (() => void)[] = [];

  push(deliver: () => void): void {
    if (this.#waiting.push(deliver) === 1) setImmediate(() => this.#runBatch());
  }

  /** Resolves when everything pushed so far has run. */
  passed(): Promise<void> {
    return new Promise((resolve) => this.push(resolve));
  }

  #runBatch(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    for (const deliver of batch) deliver();
  }
}
