import type { Clock } from "@membus/protocol";

/** Requests that begin in one turn of the event loop. */
const REQUESTS_A_TURN = 16;
/** While reads come, so many of them are left to mutations, and no more: the next read waits for the turn to end. */
const MUTATIONS_BESIDE_READS = 2;
/** Reads come as long as the latest is no older, in seconds. */
const READS_COME_S = 0.02;

/** What there is to know of a request before it begins. */
export interface Turn {
  /** Unix seconds. */
  readonly deadlineAt: number;
  readonly isMutation: boolean;
}

interface Waiting extends Turn {
  begin(): void;
}

/**
 * Begins requests, some in each turn of the event loop: between them, those that wait for the disk go on, and replies go
 * out. Reads come before mutations, which are many when they queue and have the disk to wait for anyway; among
 * themselves, either keep the order in which they came. While reads come, few mutations begin in one turn. One whose
 * deadline passes here never begins, so that none waits here longer than a turn after it was given up.
 */
export class Turns {
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #begunCount = 0;
  #lastReadAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles as `begin` does; never when the deadline passes first. */
  run<T>(begin: () => Promise<T>, turn: Turn): Promise<T> {
    if (!turn.isMutation) this.#lastReadAt = this.#clock.now();
    const max = turn.isMutation ? this.#mutationsMax() : REQUESTS_A_TURN;
    if (this.#waiting.length === 0 && this.#begunCount < max) {
      this.#count();
      return begin();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ ...turn, begin: () => resolve(begin()) });
    });
  }

  #count(): void {
    if (this.#begunCount++ === 0) setImmediate(() => this.#next());
  }

  #next(): void {
    this.#begunCount = 0;
    const now = this.#clock.now();
    const waiting = this.#waiting.filter(({ deadlineAt }) => deadlineAt > now);
    const next = new Set(this.#firstOf(waiting));
    this.#waiting = waiting.filter((request) => !next.has(request));
    for (const { begin } of next) {
      this.#count();
      begin();
    }
  }

  #mutationsMax(): number {
    const readsCome = this.#clock.now() - this.#lastReadAt < READS_COME_S;
    return readsCome ? MUTATIONS_BESIDE_READS : REQUESTS_A_TURN;
  }

  #firstOf(waiting: readonly Waiting[]): Waiting[] {
    const mutations = waiting.filter(({ isMutation }) => isMutation).slice(0, this.#mutationsMax());
    const reads = waiting.filter(({ isMutation }) => !isMutation);
    const begun = reads.slice(0, REQUESTS_A_TURN - Math.min(MUTATIONS_BESIDE_READS, mutations.length));
    return [...begun, ...mutations.slice(0, REQUESTS_A_TURN - begun.length)];
  }
}
