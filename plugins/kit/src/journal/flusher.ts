import { isDiskFull, type Log, SerialQueue } from "@membus/disk";
import type { Clock, Logger } from "@membus/protocol";
import type { Storage } from "../storage.js";
import type { Backlog, FlushSlice } from "./backlog.js";
import { mergeParts } from "./check-parts.js";
import type { Erasure } from "./erasure.js";
import type { FlushMarker, FolderManifest } from "./folder-manifest.js";
import { rowIdOf, withoutRows } from "./record.js";

/** Of a step: more rows block the event loop for too long, and more bytes fit no reserve of a full disk. */
const SLICE = { rowsMax: 1_024, bytesMax: 8 * 1024 * 1024 };
/** A flush that failed is tried again after so many times the idle wait. */
const RETRY_FACTOR = 5;

export interface FlushOptions {
  /** Rows in the backlog from which a flush begins at once. */
  readonly flushCount: number;
  /** Milliseconds after a store before what is logged is flushed. */
  readonly flushIdleMs: number;
}

export interface FlushDependencies {
  readonly log: Log;
  readonly storage: Storage;
  readonly backlog: Backlog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Holds the flush marker, and the mark of the erasure. */
  readonly manifest: FolderManifest;
  readonly erasure: Erasure;
  /** The rows that storage holds now. */
  stored(rowIds: readonly number[]): void;
  /** The oldest record that a remembered reply is read from. */
  oldestRemembered(): number;
  /** Logs the replies anew that are read from records before this one. */
  moveReplies(before: number): Promise<void>;
  /** Unix seconds: no record on disk is later. */
  newestAt(): number;
  /** See the flush marker. */
  latestScopes(): readonly string[];
}

/** Moves the backlog into storage, in order and in small steps. Everything that writes to storage goes through here. */
export class Flusher {
  /** Writes to storage never overlap, but its upkeep goes on beside them: it may take longer than the backlog has room. */
  readonly #writes = new SerialQueue();
  readonly #upkeep = new SerialQueue();
  #flushedSeq: number;
  /** What the marker on disk says: a start flushes again what comes after it. */
  #markedSeq: number;
  /** Storage may hold rows of records behind `flushedSeq`, or has not been told to keep those up to it. */
  #isUnsettled = false;
  /** The disk had no room for the last flush: each step makes room for the next. */
  #isTight = false;
  /** Bytes of forgotten rows may be on disk. Unknown after a start. */
  #mustPurge = true;
  #isWaiting = false;
  /** Unix seconds when each last ended well; 0 before. */
  #flushedAt = 0;
  #purgedAt = 0;
  #flushFailures = 0;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(
    readonly options: FlushOptions,
    readonly dependencies: FlushDependencies,
    flushedSeq: number,
  ) {
    this.#flushedSeq = flushedSeq;
    this.#markedSeq = flushedSeq;
  }

  get flushedSeq(): number {
    return this.#flushedSeq;
  }

  get stats(): Readonly<Record<"flushed_at" | "flush_failures" | "purged_at", number>> {
    return { flushed_at: this.#flushedAt, flush_failures: this.#flushFailures, purged_at: this.#purgedAt };
  }

  /** A record has been added to the backlog. */
  notice(): void {
    if (this.#closed || this.#isWaiting) return;
    if (this.dependencies.backlog.rowCount >= this.options.flushCount) void this.#flushInBackground();
    else this.#flushAfter(this.options.flushIdleMs);
  }

  /** Flushes all there is now; what a flush that failed left half done is done again. */
  flush(): Promise<void> {
    return this.#writes.run(async () => {
      try {
        await this.#flushAll();
        this.#isTight = false;
      } catch (error) {
        this.#isTight = isDiskFull(error);
        throw error;
      }
    });
  }

  /**
   * Storage's own upkeep. What was forgotten and flushed leaves the disk, and the log as soon as no retry needs it, or its
   * time is nearly over. Of what the log keeps for retries alone, large records shrink to their replies.
   */
  maintain(): Promise<void> {
    return this.#upkeep.run(async () => {
      const { log, erasure, clock, moveReplies } = this.dependencies;
      try {
        await this.#maintainStorage();
        const before = erasure.overdueBefore(log.stats.firstSeq, clock.now());
        if (before > 0) await moveReplies(before);
      } finally {
        await this.#trim();
        await this.#settleErasure();
        await this.#compactLog();
      }
    });
  }

  /** Ends when nothing of a tenant's that was removed before is left on disk, in storage or in the log. */
  erase(tenant: string): Promise<void> {
    return this.#upkeep.run(async () => {
      const { log, storage, moveReplies, logger } = this.dependencies;
      await this.flush();
      await log.rotate();
      const before = log.nextSeq;
      // What came in between is before it too.
      await this.flush();
      await storage.maintain({ purge: true, tenant });
      await moveReplies(before);
      // How far all tenants are does not keep this one.
      await this.#maintainStorage().catch((error: unknown) => logger.warn({ err: error }, "a purge failed"));
      await this.#trim();
      await log.removeSetAside();
      await this.#settleErasure();
    });
  }

  /** Runs `task` while storage stays as it is on disk, and the log lets go of nothing. */
  holdStill<T>(task: () => Promise<T>): Promise<T> {
    return this.#upkeep.run(() => this.#writes.run(task));
  }

  /** Another write to storage, in its turn. */
  write(task: () => Promise<void>): Promise<void> {
    return this.#writes.run(task);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    await this.#upkeep.run(() => this.flush());
  }

  async #maintainStorage(): Promise<void> {
    const { log, storage, erasure, clock } = this.dependencies;
    const purge = this.#mustPurge;
    this.#mustPurge = false;
    try {
      if (purge) {
        const flushedSeq = this.#flushedSeq;
        await log.rotate();
        erasure.asked(flushedSeq, log.nextSeq);
      }
      if (await storage.maintain({ purge })) erasure.purged();
      if (purge) this.#purgedAt = clock.now();
    } catch (error) {
      this.#mustPurge ||= purge;
      throw error;
    }
  }

  async #settleErasure(): Promise<void> {
    const { log, erasure, manifest, clock } = this.dependencies;
    const erased = erasure.markAt(log.stats.firstSeq, clock.now());
    if (erased === undefined) return;
    await manifest.update({ erased });
    erasure.settled(erased);
  }

  #flushAfter(waitMs: number): void {
    const flush = () => void this.#flushInBackground();
    this.#cancelTimer ??= this.dependencies.clock.after(waitMs, flush, { background: true });
  }

  async #flushInBackground(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#isWaiting = true;
    try {
      await this.flush();
      this.#isWaiting = false;
      if (this.dependencies.backlog.recordCount > 0) this.notice();
    } catch (error) {
      this.#isWaiting = false;
      this.#flushFailures++;
      this.dependencies.logger.error({ err: error }, "flush failed; the log keeps what it holds");
      if (!this.#closed) this.#flushAfter(this.options.flushIdleMs * RETRY_FACTOR);
    }
  }

  async #flushAll(): Promise<void> {
    const { backlog, storage } = this.dependencies;
    if (backlog.recordCount === 0 && !this.#isUnsettled) return this.#keepParts({});
    // A row that is appended twice would stand in storage twice.
    if (this.#isUnsettled) await storage.removeFrom(rowIdOf(this.#flushedSeq + 1, 0), [...backlog.scopes]);
    this.#isUnsettled = true;
    // What comes meanwhile waits for the next flush: this one would follow the writers in steps of a few rows.
    const { lastSeq } = backlog;
    const next = () => backlog.slice(SLICE, lastSeq);
    if (this.#isTight) await this.dependencies.log.rotate();
    for (let slice = next(); slice !== undefined; slice = next()) {
      await this.#flushSlice(slice);
      if (!this.#isTight) continue;
      await this.#settle();
      await this.#compactLog();
    }
    await this.#settle();
    this.#isUnsettled = false;
    this.#flushedAt = this.dependencies.clock.now();
  }

  async #flushSlice({ lastSeq, rows, removed, forgets }: FlushSlice): Promise<void> {
    const { log, storage, backlog, stored } = this.dependencies;
    // Storage must not survive what the log has lost: the numbers of lost records are given out again.
    await log.sync();
    if (rows.length > 0) await storage.append(rows);
    if (removed.length > 0) await storage.remove(removed);
    this.#mustPurge ||= forgets;
    stored(backlog.flushed(lastSeq));
    this.#flushedSeq = lastSeq;
  }

  /** Storage first, then the marker, then the log: whatever a crash leaves is enough to go on. */
  async #settle(): Promise<void> {
    const { storage, newestAt, latestScopes } = this.dependencies;
    const flushedSeq = this.#flushedSeq;
    await storage.sync();
    await this.#keepParts({ flushedSeq, newestAt: newestAt(), scopes: latestScopes() });
    this.#markedSeq = flushedSeq;
    await this.#trim();
  }

  /** Writes down what storage holds, and `change`; nothing where there is nothing new. */
  async #keepParts(change: Partial<FlushMarker>): Promise<void> {
    const { storage, manifest } = this.dependencies;
    const settled = (await storage.parts?.settled(manifest.facts.id)) ?? [];
    if (settled.length === 0 && change.flushedSeq === undefined) return;
    await manifest.update({ ...change, parts: mergeParts(manifest.facts.parts, settled) });
  }

  async #compactLog(): Promise<void> {
    await this.dependencies.log.compact(this.#markedSeq + 1, withoutRows);
  }

  /** Only what is in storage for good goes, and what no retry is answered from. */
  async #trim(): Promise<void> {
    const { log, oldestRemembered } = this.dependencies;
    await log.trim(Math.min(this.#markedSeq + 1, oldestRemembered()));
  }
}
