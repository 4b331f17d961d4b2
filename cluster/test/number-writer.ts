import type { MemoryClient } from "../../agent-client/src/index.js";

export const EPISODIC = { tier: "episodic" } as const;

/** Stores one number after another, reads each tenth at once, and forgets it. */
export class Writer {
  readonly #alice: MemoryClient;
  /** Ends after `stop`, or fails with the first request that fails. */
  readonly running: Promise<void>;
  #isStopped = false;
  storedCount = 0;
  /** Numbers that could not be read right after they were stored. */
  readonly unread: number[] = [];

  constructor(alice: MemoryClient) {
    this.#alice = alice;
    this.running = this.#run();
  }

  /** Returns the numbers that are stored and not forgotten. */
  async stop(): Promise<number[]> {
    this.#isStopped = true;
    await this.running;
    return Array.from({ length: this.storedCount }, (_, at) => at).filter((at) => at % 10 !== 9);
  }

  /** Returns the numbers in the memory, in ascending order. */
  async found(): Promise<number[]> {
    const found: number[] = [];
    for await (const { content } of this.#alice.entries(EPISODIC)) found.push(Number(content));
    return found.toSorted((a, b) => a - b);
  }

  async #run(): Promise<void> {
    for (; !this.#isStopped; this.storedCount++) {
      const [number, key] = [this.storedCount, `k${this.storedCount}`];
      await this.#alice.remember(key, number, EPISODIC);
      if (number % 10 !== 9) continue;
      if ((await this.#alice.recall(key)) !== number) this.unread.push(number);
      await this.#alice.forget({ keys: [key], ...EPISODIC });
    }
  }
}
