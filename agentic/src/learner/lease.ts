import type { Clock } from "@membus/protocol";
import type { Cursor } from "./cursor.js";
import type { Cursors } from "./cursors.js";

/** Others only note what they find in a cursor that is held: each time that a change fails, one of them has. */
const ATTEMPTS_MAX = 32;

/** The right to learn a conversation, for as long as it is renewed. */
export class Lease {
  readonly #cursors: Cursors;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  #cursor: Cursor;
  #work: Promise<void> = Promise.resolve();
  #isEnding = false;
  #cancelTimer: () => void = () => {};

  constructor(cursors: Cursors, cursor: Cursor, clock: Clock, leaseMs: number) {
    this.#cursors = cursors;
    this.#cursor = cursor;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#renewLater();
  }

  /** Aborted when somebody else has it. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Changes the cursor for the last time.
   * @returns false where somebody else has it: then nothing is changed. @throws {MemoryError} as of a store.
   */
  async end(change: (cursor: Cursor) => Cursor): Promise<boolean> {
    this.#isEnding = true;
    this.#cancelTimer();
    await this.#work;
    return this.#change(change);
  }

  #renewLater(): void {
    if (this.#isEnding || this.signal.aborted) return;
    const renew = () => {
      this.#work = this.#renew().then(() => this.#renewLater());
    };
    this.#cancelTimer = this.#clock.after(this.#leaseMs / 3, renew, { background: true });
  }

  async #renew(): Promise<void> {
    const due = this.#clock.now() + this.#leaseMs / 1000;
    try {
      await this.#change((cursor) => ({ ...cursor, due }));
    } catch {
      // The host is away, so nothing that is learned can be written either. The next time may be soon enough.
    }
  }

  async #change(change: (cursor: Cursor) => Cursor): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX && !this.signal.aborted; attempt++) {
      const changed = await this.#cursors.change(change(this.#cursor));
      if (changed !== undefined) {
        this.#cursor = changed;
        return true;
      }
      const current = await this.#cursors.get(this.#cursor.conversation);
      if (current?.holder !== this.#cursor.holder) break;
      this.#cursor = current!;
    }
    this.#lost.abort(new DOMException("another learner goes on with this conversation", "AbortError"));
    return false;
  }
}
