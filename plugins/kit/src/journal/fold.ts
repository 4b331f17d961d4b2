import type { Clock, Logger } from "@membus/protocol";
import type { Log } from "../log/log.js";
import type { Storage } from "../storage.js";
import type { Backlog } from "./backlog.js";
import { writeFoldMarker } from "./fold-marker.js";

/** Rows a step: larger ones block the event loop for too long. */
const SLICE_ROWS = 1_024;

export interface FoldOptions {
  /** Rows in the backlog from which a fold begins at once. */
  readonly foldCount: number;
  /** Milliseconds without a store after which a fold begins. */
  readonly foldIdleMs: number;
}

export interface FoldDependencies {
  readonly log: Log;
  readonly storage: Storage;
  readonly backlog: Backlog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: string;
  /** The rows that storage holds now. */
  stored(rowIds: readonly number[]): void;
  /** The oldest record that a remembered reply is read from. */
  oldestRemembered(): number;
  newestAt(): number;
}

/** Moves the backlog into storage, in order and in small steps: by count, when idle, and at close. */
export class Folder {
  #folding: Promise<void> | undefined;
  #cancelIdle: (() => void) | undefined;
  #foldedSeq: number;
  #closed = false;
  #removed = false;

  constructor(
    readonly options: FoldOptions,
    readonly dependencies: FoldDependencies,
    foldedSeq: number,
  ) {
    this.#foldedSeq = foldedSeq;
  }

  get foldedSeq(): number {
    return this.#foldedSeq;
  }

  /** Whether rows were removed since the last call: their bytes are still on disk. */
  takeRemoved(): boolean {
    const removed = this.#removed;
    this.#removed = false;
    return removed;
  }

  /** A record has been added to the backlog. */
  notice(): void {
    const { backlog } = this.dependencies;
    if (this.#closed) return;
    if (backlog.rowCount >= this.options.foldCount) this.#foldInBackground();
    else this.#foldLater(this.options.foldIdleMs);
  }

  /** Folds all there is now. One at a time: a second call waits for the first and folds what came since. */
  async fold(): Promise<void> {
    while (this.#folding !== undefined) await this.#folding;
    if (this.dependencies.backlog.recordCount === 0) return;
    this.#folding = this.#foldAll().finally(() => {
      this.#folding = undefined;
    });
    await this.#folding;
  }

  /** Removes every log record that is no longer needed, so that none keeps what was forgotten. */
  async trimLog(): Promise<void> {
    const { log } = this.dependencies;
    const keptFrom = this.#keptFrom;
    if (log.stats.firstSeq >= keptFrom) return;
    await log.rotate();
    await log.trim(keptFrom);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelIdle?.();
    await this.fold();
  }

  #foldInBackground(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    if (this.#folding !== undefined) return;
    this.fold().catch((error: unknown) => {
      this.dependencies.logger.error({ err: error }, "fold failed; the log keeps what it holds");
      this.#foldLater(this.options.foldIdleMs * 5);
    });
  }

  #foldLater(delayMs: number): void {
    if (this.#closed) return;
    const { clock } = this.dependencies;
    this.#cancelIdle ??= clock.after(delayMs, () => this.#foldInBackground(), { background: true });
  }

  async #foldAll(): Promise<void> {
    const { backlog, storage, stored, log } = this.dependencies;
    // Storage must not know of a record that a power loss could still take from the log.
    await log.sync();
    for (let slice = backlog.slice(SLICE_ROWS); slice !== undefined; slice = backlog.slice(SLICE_ROWS)) {
      await storage.append(slice.rows);
      await storage.remove(slice.removed);
      this.#removed ||= slice.removed.length > 0;
      stored(backlog.folded(slice.lastSeq));
      this.#foldedSeq = slice.lastSeq;
    }
    await this.#settle();
  }

  /** Storage first, then the marker, then the log: whatever a crash leaves is enough to go on. */
  async #settle(): Promise<void> {
    const { storage, log, directory, newestAt } = this.dependencies;
    const foldedSeq = this.#foldedSeq;
    await storage.sync();
    await writeFoldMarker(directory, { foldedSeq, newestAt: newestAt() });
    await log.trim(this.#keptFrom);
  }

  /** The first record that is still needed: for the fold, or for the reply of a retry. */
  get #keptFrom(): number {
    return Math.min(this.#foldedSeq + 1, this.dependencies.oldestRemembered());
  }
}
