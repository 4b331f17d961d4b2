import { updateWithRetry } from "@membus/agent-client";
import type { Clock } from "@membus/protocol";
import type { Cursor } from "./cursor.js";
import type { CursorStore } from "./cursor-store.js";

/**
 * Maximum number of attempts. Other learners only add new messages to a held cursor, and each conflict means
 * that one of them succeeded.
 */
const ATTEMPTS_MAX = 32;

/** A lease on a conversation, renewed until it ends. */
export class Lease {
  readonly #cursors: CursorStore;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  #cursor: Cursor;
  #work: Promise<void> = Promise.resolve();
  #isEnding = false;
  #cancelTimer: () => void = () => {};

  constructor(cursors: CursorStore, cursor: Cursor, clock: Clock, leaseMs: number) {
    this.#cursors = cursors;
    this.#cursor = cursor;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#renewLater();
  }

  /** Aborted when another learner takes over. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * @throws {DOMException} `AbortError` if another learner has taken over.
   * @throws {MemoryError} as a retrieve does.
   */
  async confirm(): Promise<void> {
    if (!this.#isHeld(await this.#cursors.get(this.#cursor.conversation))) this.#abort();
    this.signal.throwIfAborted();
  }

  /**
   * Changes the cursor for the last time and stops renewing.
   * @returns false if another learner has taken over. Nothing is then changed. @throws {MemoryError} as a
   * store does.
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
      // The host is unavailable, so no results can be stored either. The next renewal may be in time.
    }
  }

  async #change(change: (cursor: Cursor) => Cursor): Promise<boolean> {
    let isChanged = false;
    const changed = await updateWithRetry(
      () => (isChanged ? this.#cursors.get(this.#cursor.conversation) : this.#cursor),
      (cursor) => (this.#isHeld(cursor) ? change(cursor) : undefined),
      (cursor) => {
        isChanged = true;
        return this.#cursors.change(cursor);
      },
      { attemptsMax: ATTEMPTS_MAX, onExhausted: () => undefined },
    );
    if (changed === undefined) {
      this.#abort();
      return false;
    }
    this.#cursor = changed;
    return true;
  }

  #abort(): void {
    this.#lost.abort(new DOMException("another learner took over this conversation", "AbortError"));
  }

  #isHeld(cursor: Cursor | undefined): cursor is Cursor {
    return cursor?.holder === this.#cursor.holder && !this.signal.aborted;
  }
}
