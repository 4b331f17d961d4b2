import type { Clock } from "@membus/protocol";

/** Requests that begin in one turn of the event loop. */
const REQUESTS_A_TURN = 16;

interface Waiting {
  readonly deadlineAt: number;
  begin(): void;
}

/**
 * Begins requests in the order in which they came, some in each turn of the event loop: between them, those that wait
 * for the disk go on, and replies go out. One whose deadline passes here never begins, so that none waits here longer
 * than a turn after it was given up.
 */
export class Turns {
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #begunCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles as `begin` does; never when the deadline (Unix seconds) passes first. */
  run<T>(begin: () => Promise<T>, deadlineAt: number): Promise<T> {
    if (this.#waiting.length === 0 && this.#begunCount < REQUESTS_A_TURN) {
      this.#count();
      return begin();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ deadlineAt, begin: () => resolve(begin()) });
    });
  }

  #count(): void {
    if (this.#begunCount++ === 0) setImmediate(() => this.#next());
  }

  #next(): void {
    this.#begunCount = 0;
    const now = this.#clock.now();
    const waiting = this.#waiting.filter(({ deadlineAt }) => deadlineAt > now);
    this.#waiting = waiting.slice(REQUESTS_A_TURN);
    for (const { begin } of waiting.slice(0, REQUESTS_A_TURN)) {
      this.#count();
      begin();
    }
  }
}
