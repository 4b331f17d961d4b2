import type { Clock, Logger } from "@membus/protocol";
import type { Storage } from "../storage.js";
import type { Backlog, FoldSlice } from "./backlog.js";
import { writeFoldMarker } from "./fold-marker.js";
import type { Log } from "./log/log.js";
import { SerialQueue } from "./log/serial-queue.js";
import { rowIdOf } from "./record.js";

/** Rows a step: larger ones block the event loop for too long. */
const SLICE_ROWS = 1_024;
/** A fold that failed is tried again after so many times the idle wait. */
const RETRY_FACTOR = 5;

export interface FoldOptions {
  /** Rows in the backlog from which a fold begins at once. */
  readonly foldCount: number;
  /** Milliseconds after a store before what is logged is folded. */
  readonly foldIdleMs: number;
}

export interface FoldDependencies {
  readonly log: Log;
  readonly storage: Storage;
  readonly backlog: Backlog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Holds the fold marker. */
  readonly directory: string;
  /** The rows that storage holds now. */
  stored(rowIds: readonly number[]): void;
  /** The oldest record that a remembered reply is read from. */
  oldestRemembered(): number;
  /** Unix seconds: no record on disk is later. */
  newestAt(): number;
  /** See the fold marker. */
  latestScopes(): readonly string[];
}

/** Moves the backlog into storage, in order and in small steps. Everything that writes to storage goes through here. */
export class Folder {
  /** Writes to storage never overlap, but its upkeep goes on beside them: it may take longer than the backlog has room. */
  readonly #writes = new SerialQueue();
  readonly #upkeep = new SerialQueue();
  #foldedSeq: number;
  /** What the marker on disk says: a start folds again what comes after it. */
  #markedSeq: number;
  /** Storage may hold rows of records behind `foldedSeq`, or has not been told to keep those up to it. */
  #isUnsettled = false;
  /** Bytes of forgotten rows may be on disk. Unknown after a start. */
  #mustPurge = true;
  #isWaiting = false;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(
    readonly options: FoldOptions,
    readonly dependencies: FoldDependencies,
    foldedSeq: number,
  ) {
    this.#foldedSeq = foldedSeq;
    this.#markedSeq = foldedSeq;
  }

  get foldedSeq(): number {
    return this.#foldedSeq;
  }

  /** A record has been added to the backlog. */
  notice(): void {
    if (this.#closed || this.#isWaiting) return;
    if (this.dependencies.backlog.rowCount >= this.options.foldCount) void this.#foldInBackground();
    else this.#foldAfter(this.options.foldIdleMs);
  }

  /** Folds all there is now; what a fold that failed left half done is done again. */
  fold(): Promise<void> {
    return this.#writes.run(() => this.#foldAll());
  }

  /** Storage's own upkeep. What was forgotten and folded leaves the disk, and the log as soon as no retry needs it. */
  maintain(): Promise<void> {
    return this.#upkeep.run(async () => {
      const purge = this.#mustPurge;
      this.#mustPurge = false;
      try {
        if (purge) await this.dependencies.log.rotate();
        await this.dependencies.storage.maintain({ purge });
      } catch (error) {
        this.#mustPurge ||= purge;
        throw error;
      }
      await this.#trim();
    });
  }

  /** Another write to storage, in its turn. */
  write(task: () => Promise<void>): Promise<void> {
    return this.#writes.run(task);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    await this.#upkeep.run(() => this.fold());
  }

  #foldAfter(waitMs: number): void {
    const fold = () => void this.#foldInBackground();
    this.#cancelTimer ??= this.dependencies.clock.after(waitMs, fold, { background: true });
  }

  async #foldInBackground(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#isWaiting = true;
    try {
      await this.fold();
      this.#isWaiting = false;
      if (this.dependencies.backlog.recordCount > 0) this.notice();
    } catch (error) {
      this.#isWaiting = false;
      this.dependencies.logger.error({ err: error }, "fold failed; the log keeps what it holds");
      if (!this.#closed) this.#foldAfter(this.options.foldIdleMs * RETRY_FACTOR);
    }
  }

  async #foldAll(): Promise<void> {
    const { backlog, storage } = this.dependencies;
    if (backlog.recordCount === 0 && !this.#isUnsettled) return;
    // A row that is appended twice would stand in storage twice.
    if (this.#isUnsettled) await storage.removeFrom(rowIdOf(this.#foldedSeq + 1, 0), [...backlog.scopes]);
    this.#isUnsettled = true;
    // What comes meanwhile waits for the next fold: this one would follow the writers in steps of a few rows.
    const { lastSeq } = backlog;
    const next = () => backlog.slice(SLICE_ROWS, lastSeq);
    for (let slice = next(); slice !== undefined; slice = next()) await this.#foldSlice(slice);
    await this.#settle();
    this.#isUnsettled = false;
  }

  async #foldSlice({ lastSeq, rows, removed, forgets }: FoldSlice): Promise<void> {
    const { log, storage, backlog, stored } = this.dependencies;
    // Storage must not survive what the log has lost: the numbers of lost records are given out again.
    await log.sync();
    if (rows.length > 0) await storage.append(rows);
    if (removed.length > 0) await storage.remove(removed);
    this.#mustPurge ||= forgets;
    stored(backlog.folded(lastSeq));
    this.#foldedSeq = lastSeq;
  }

  /** Storage first, then the marker, then the log: whatever a crash leaves is enough to go on. */
  async #settle(): Promise<void> {
    const { storage, directory, newestAt, latestScopes } = this.dependencies;
    const foldedSeq = this.#foldedSeq;
    await storage.sync();
    await writeFoldMarker(directory, { foldedSeq, newestAt: newestAt(), scopes: latestScopes() });
    this.#markedSeq = foldedSeq;
    await this.#trim();
  }

  /** Only what is in storage for good goes, and what no retry is answered from. */
  async #trim(): Promise<void> {
    const { log, oldestRemembered } = this.dependencies;
    await log.trim(Math.min(this.#markedSeq + 1, oldestRemembered()));
  }
}
