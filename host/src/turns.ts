/** Requests that begin in one turn of the event loop. */
const REQUESTS_A_TURN = 16;

/**
 * Begins requests in the order in which they came, some in each turn of the event loop: between them, those that wait
 * for the disk go on, and replies go out. Of those who wait here there are no more than were admitted.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #begunCount = 0;

  run<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#begunCount < REQUESTS_A_TURN) {
      this.#count();
      return begin();
    }
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(begin()));
    });
  }

  #count(): void {
    if (this.#begunCount++ === 0) setImmediate(() => this.#next());
  }

  #next(): void {
    this.#begunCount = 0;
    for (const begin of this.#waiting.splice(0, REQUESTS_A_TURN)) {
      this.#count();
      begin();
    }
  }
}
