import { isDiskFull, type Log } from "@membus/disk";
import { type Clock, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import pLimit from "p-limit";
import type { FlushMarker, FolderManifest } from "../place/index.js";
import type { Storage } from "../storage.js";
import type { Backlog, FlushSlice } from "./backlog.js";
import { mergeParts } from "./check-parts.js";
import type { ErasureTracker } from "./erasure-tracker.js";
import { rowIdOf, withoutRows } from "./record.js";

/**
 * Limits of a step. More rows would block the event loop for too long. More bytes would not fit the disk
 * reserve of a full disk.
 */
const SLICE = { rowsMax: 1_024, bytesMax: 8 * 1024 * 1024 };
/** Delay before a failed flush is retried, as a multiple of the idle time, and its maximum. */
const RETRY = { factor: 5, msMax: 10_000 };
const SERVER_RETRY_AFTER_MS = 1_000;

export interface FlushOptions {
  /** Number of rows in the backlog that triggers an immediate flush. */
  readonly flushCount: number;
  /** Time after a store until the logged rows are flushed. Milliseconds. */
  readonly flushIdleMs: number;
}

export interface FlushDependencies {
  readonly log: Log;
  readonly storage: Storage;
  readonly backlog: Backlog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stores the flush marker and the erasure mark. */
  readonly manifest: FolderManifest;
  readonly erasure: ErasureTracker;
  /** Called with the rows that storage has now. */
  stored(rowIds: readonly number[]): void;
  /** Returns the oldest record that a remembered reply is read from. */
  oldestRemembered(): number;
  /** Logs the replies again that are read from records before this one. */
  moveReplies(before: number): Promise<void>;
  /** Returns a time, in Unix seconds, that is not before any record on disk. */
  newestAt(): number;
  /** Returns the recently written scopes for the flush marker. */
  latestScopes(): readonly string[];
}

/** Moves the backlog into storage, in order and in small steps. All writes to storage go through it. */
export class Flusher {
  /**
   * Serialises writes to storage. Maintenance runs concurrently, because it may take longer than the backlog
   * can wait.
   */
  readonly #writes = pLimit(1);
  readonly #maintenance = pLimit(1);
  /** Erasures that wait for their turn, by tenant. */
  readonly #waitingErasures = new Map<string, Promise<void>>();
  #flushedSeq: number;
  /** The marker's value on disk. A restart flushes later records again. */
  #markedSeq: number;
  /** Whether storage may have rows of records after `flushedSeq`, or rows up to it that are not synced. */
  #hasUnsyncedRows = false;
  /** Whether the last flush failed because the disk is full. Each step then frees space for the next. */
  #isDiskFull = false;
  /** Whether bytes of forgotten rows may be on disk. Unknown after a start, so true. */
  #mustPurge = true;
  #isWaiting = false;
  /** Time of the last successful run, Unix seconds. 0 before the first. */
  #flushedAt = 0;
  #purgedAt = 0;
  /** Last record up to which the log was emptied because it had little space left. */
  #emptiedSeq = 0;
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

  get stats(): Readonly<Record<"flushed_at" | "flush_failures" | "purged_at" | "erasures_overdue", number>> {
    const { erasure, clock } = this.dependencies;
    return {
      flushed_at: this.#flushedAt,
      flush_failures: this.#flushFailures,
      purged_at: this.#purgedAt,
      erasures_overdue: erasure.overdueCount(clock.now()),
    };
  }

  /** Schedules a flush after a record was added to the backlog. A large backlog is flushed at once, before it refuses stores. */
  recordAdded(): void {
    if (this.#closed || this.#isWaiting) return;
    const { backlog } = this.dependencies;
    if (backlog.rowCount >= this.options.flushCount || backlog.isLarge) void this.#flushInBackground();
    else this.#flushAfter(this.options.flushIdleMs);
  }

  /** Flushes all current records. An incomplete earlier flush is repeated. */
  flush(): Promise<void> {
    return this.#writes(async () => {
      try {
        await this.#flushAll();
        this.#isDiskFull = false;
      } catch (error) {
        this.#isDiskFull = isDiskFull(error);
        throw error;
      }
    });
  }

  /**
   * Runs the storage's maintenance. Forgotten and flushed rows are erased from storage. They are erased from
   * the log as soon as no retry needs the records, or when their deadline is near. Large records that the log
   * keeps only for retries shrink to their replies.
   */
  maintain(): Promise<void> {
    return this.#maintenance(async () => {
      const { log, erasure, clock } = this.dependencies;
      try {
        if (erasure.isFlushDue(log.stats.firstSeq, clock.now())) await this.flush();
        await this.#maintainStorage();
        await this.#emptyLog(
          Math.max(erasure.overdueBefore(log.stats.firstSeq, clock.now()), this.#shortBefore),
        );
      } finally {
        await this.#trim();
        await this.#persistErasure();
        await this.#compactLog();
      }
    });
  }

  /**
   * Resolves once no removed data of a tenant is left in storage or in the log. Calls that wait for their turn share
   * one erasure.
   * @throws {MemoryError} `unavailable` while a server that stores the log is down. Later maintenance completes it.
   */
  erase(tenant: string): Promise<void> {
    const waiting = this.#waitingErasures.get(tenant);
    if (waiting !== undefined) return waiting;
    const erasure = this.#maintenance(() => {
      this.#waitingErasures.delete(tenant);
      return this.#erase(tenant);
    });
    this.#waitingErasures.set(tenant, erasure);
    return erasure;
  }

  async #erase(tenant: string): Promise<void> {
    const { log, storage, moveReplies, logger } = this.dependencies;
    // A repeated erasure would start one segment after another that cannot be deleted.
    if (log.stats.waitsForServer && !(await this.#trim())) throw serverDownError();
    await this.flush();
    const before = await log.rotate();
    // Includes records that were logged in between.
    await this.flush();
    await storage.maintain({ purge: true, tenant });
    await moveReplies(before);
    // A failure for other tenants must not fail this erasure.
    await this.#maintainStorage().catch((error: unknown) => logger.warn({ err: error }, "purge failed"));
    const isTrimmed = await this.#trim();
    await log.removeSetAside();
    await this.#persistErasure();
    if (!isTrimmed) throw serverDownError();
  }

  /** Runs `task` while storage does not change on disk and the log is not trimmed. */
  pauseWrites<T>(task: () => Promise<T>): Promise<T> {
    return this.#maintenance(() => this.#writes(task));
  }

  /** Runs another write to storage, serialised with flushes. */
  write(task: () => Promise<void>): Promise<void> {
    return this.#writes(task);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    await this.#maintenance(() => this.flush());
  }

  async #maintainStorage(): Promise<void> {
    const { log, storage, erasure, clock } = this.dependencies;
    const purge = this.#mustPurge;
    this.#mustPurge = false;
    try {
      if (purge) {
        const flushedSeq = this.#flushedSeq;
        await log.rotate({ lazily: true });
        erasure.purgeRequested(flushedSeq);
      }
      if (await storage.maintain({ purge })) erasure.purgeCompleted();
      if (purge) this.#purgedAt = clock.now();
    } catch (error) {
      this.#mustPurge ||= purge;
      throw error;
    }
  }

  /** Returns the record before which the log must be emptied because it has little space left. 0 if nothing is to be gained. */
  get #shortBefore(): number {
    const { log } = this.dependencies;
    const hasFlushed = this.#markedSeq > this.#emptiedSeq && log.stats.firstSeq <= this.#markedSeq;
    return log.shortage !== undefined && hasFlushed ? this.#markedSeq + 1 : 0;
  }

  /** Makes the segments of the log with records before this one ready to be trimmed. 0 for none. */
  async #emptyLog(before: number): Promise<void> {
    if (before === 0) return;
    const { log, moveReplies } = this.dependencies;
    await moveReplies(log.segmentFrom(before) ?? (await log.rotate()));
    // Records that were logged in between would keep the segment.
    await this.flush();
    this.#emptiedSeq = this.#markedSeq;
  }

  async #persistErasure(): Promise<void> {
    const { log, erasure, manifest, clock } = this.dependencies;
    const erased = erasure.markAt(log.stats.firstSeq, clock.now());
    if (erased === undefined) return;
    await manifest.update({ erased });
    erasure.markPersisted(erased);
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
      if (this.dependencies.backlog.recordCount > 0) this.recordAdded();
    } catch (error) {
      this.#isWaiting = false;
      this.#flushFailures++;
      this.dependencies.logger.error(
        { err: error },
        "flush failed, the entries stay in the log and the flush is retried",
      );
      if (!this.#closed) this.#flushAfter(Math.min(this.options.flushIdleMs * RETRY.factor, RETRY.msMax));
    }
  }

  async #flushAll(): Promise<void> {
    const { backlog, storage } = this.dependencies;
    if (backlog.recordCount === 0 && !this.#hasUnsyncedRows) return this.#writeManifest({});
    // Rows of an incomplete flush are removed first, so that no row is stored twice.
    if (this.#hasUnsyncedRows)
      await storage.removeFrom(rowIdOf(this.#flushedSeq + 1, 0), [...backlog.scopes]);
    this.#hasUnsyncedRows = true;
    // Later records wait for the next flush. Otherwise this flush would follow the writers in steps of a few
    // rows.
    const { lastSeq } = backlog;
    const next = () => backlog.slice(SLICE, lastSeq);
    if (this.#isDiskFull) await this.dependencies.log.rotate();
    for (let slice = next(); slice !== undefined; slice = next()) {
      await this.#flushSlice(slice);
      if (!this.#isDiskFull) continue;
      await this.#persist();
      await this.#compactLog();
    }
    await this.#persist();
    this.#hasUnsyncedRows = false;
    this.#flushedAt = this.dependencies.clock.now();
  }

  async #flushSlice({ lastSeq, rows, removed, forgets }: FlushSlice): Promise<void> {
    const { log, storage, backlog, stored } = this.dependencies;
    // Storage must not have rows that the log could lose, because the sequence numbers of lost records are
    // reused.
    await log.sync();
    if (rows.length > 0) await storage.append(rows);
    if (removed.length > 0) await storage.remove(removed);
    this.#mustPurge ||= forgets;
    stored(backlog.flushed(lastSeq));
    this.#flushedSeq = lastSeq;
  }

  /**
   * Persists storage first, then the marker, then trims the log, so that every crash state can be recovered.
   */
  async #persist(): Promise<void> {
    const { storage, newestAt, latestScopes } = this.dependencies;
    const flushedSeq = this.#flushedSeq;
    await storage.sync();
    await this.#writeManifest({ flushedSeq, newestAt: newestAt(), scopes: latestScopes() });
    this.#markedSeq = flushedSeq;
    await this.#trim();
  }

  /** Writes the changed parts and `change` to the manifest. Does nothing if neither changed. */
  async #writeManifest(change: Partial<FlushMarker>): Promise<void> {
    const { storage, manifest } = this.dependencies;
    const changed = (await storage.parts?.recordOwner(manifest.facts.id)) ?? [];
    if (changed.length === 0 && change.flushedSeq === undefined) return;
    await manifest.update({ ...change, parts: mergeParts(manifest.facts.parts, changed) });
  }

  async #compactLog(): Promise<void> {
    await this.dependencies.log.compact(this.#markedSeq + 1, withoutRows);
  }

  /** Trims records that are durable in storage and not needed for retries. */
  #trim(): Promise<boolean> {
    const { log, oldestRemembered } = this.dependencies;
    return log.trim(Math.min(this.#markedSeq + 1, oldestRemembered()));
  }
}

function serverDownError(): MemoryError {
  const message =
    "the entries are forgotten, but a server that stores the log is down. Start it: their bytes are erased when it is back";
  const detail = { reason: "replica_down", retry_after_ms: SERVER_RETRY_AFTER_MS };
  return new MemoryError("unavailable", message, detail);
}
