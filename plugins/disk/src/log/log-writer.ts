import { rm } from "node:fs/promises";
import { type Clock, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import pLimit from "p-limit";
import { syncDirectory } from "../directory/index.js";
import type { ResolvedFileLogOptions } from "./file-log-options.js";
import { RecordGroup } from "./frame.js";
import { readHeader } from "./inspect-segment.js";
import type { LogKeeper } from "./log.js";
import { asLogError } from "./log-error.js";
import type { LogFile, OpenLogFile } from "./log-file.js";
import { RecordQueue } from "./record-queue.js";
import { createSegment, type Segment } from "./segment.js";
import { segmentPath } from "./segment-files.js";

/** Size from which a group accepts no more records, so that one write does not take too long. */
const GROUP_BYTES_MAX = 4 * 1024 * 1024;
/** Interval in seconds between attempts to reopen a failed log. */
const RETRY_S = 1;

export interface LogWriterDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openFile: OpenLogFile;
  readonly keeper?: LogKeeper | undefined;
}

export interface LogWriterStats {
  readonly queuedCount: number;
  readonly queuedBytes: number;
  readonly groupCount: number;
  readonly commitMs: number;
  readonly failed: boolean;
}

/**
 * Writes the end of the log. Records that arrive during a commit form the next group. There is no other
 * delay. At most one write or sync is running, so everything before a group is durable when it is written.
 */
export class LogWriter {
  readonly #directory: string;
  readonly #options: ResolvedFileLogOptions;
  readonly #dependencies: LogWriterDependencies;
  /** Shared with the log, which trims the front. */
  readonly #segments: Segment[];
  /** File of the newest segment. */
  #file: LogFile;
  readonly #queue: RecordQueue<RecordGroup>;
  #closing: Promise<void> | undefined;
  #failure: MemoryError | undefined;
  /** Unix seconds until which a failed log is not retried. */
  #retryAt = 0;
  /** Whether the keeper may know of a segment that is not in use yet. */
  #isKeeperAhead = false;

  readonly #fileTasks = pLimit(1);

  /** @param file file of the newest segment, open for reading and writing. Closed with the writer. */
  constructor(
    directory: string,
    segments: Segment[],
    file: LogFile,
    options: ResolvedFileLogOptions,
    dependencies: LogWriterDependencies,
  ) {
    this.#directory = directory;
    this.#segments = segments;
    this.#file = file;
    this.#options = options;
    this.#dependencies = dependencies;
    this.#queue = new RecordQueue({
      limits: options,
      clock: dependencies.clock,
      tasks: this.#fileTasks,
      nextSeq: this.#newest.nextSeq,
      createGroup: (firstSeq) => new RecordGroup(firstSeq),
      hasRoom: ({ sizeBytes }) => sizeBytes < GROUP_BYTES_MAX,
      write: (group) => this.#write(group),
      rollBack: (cause) => this.#rollBack(cause),
    });
  }

  get nextSeq(): number {
    return this.#queue.nextSeq;
  }

  get stats(): LogWriterStats {
    return { ...this.#queue.stats, failed: this.#failure !== undefined };
  }

  async append(encode: (seq: number) => Uint8Array): Promise<number> {
    this.#checkOpen();
    return this.#queue.append(encode);
  }

  onRollback(listener: (firstLostSeq: number) => void): () => void {
    return this.#queue.onRollback(listener);
  }

  /** Checks that the newest segment is in place. Retries a failed log, because the cause may be resolved. */
  async probe(): Promise<void> {
    this.checkNotClosed();
    await this.#fileTasks(async () => {
      if (this.#closing !== undefined) return;
      if (this.#failure !== undefined) return this.#reopen();
      await this.#openNewest("r").then(
        (file) => file.close(),
        (cause: unknown) => this.#fail(cause),
      );
    });
  }

  /** @returns all segments at the time when the newest was empty. */
  async rotate(): Promise<readonly Segment[]> {
    this.#checkOpen();
    return this.#fileTasks(async () => {
      await this.#undoOnFailure(() => this.#startSegment());
      return [...this.#segments];
    });
  }

  async sync(): Promise<void> {
    this.#checkOpen();
    if (this.#options.durability === "disk") return;
    await this.#fileTasks(() => this.#undoOnFailure(() => this.#file.sync()));
  }

  close(): Promise<void> {
    this.#closing ??= this.#fileTasks(async () => {
      try {
        if (this.#failure === undefined) await this.#file.sync();
      } finally {
        await this.#file.close();
      }
    });
    return this.#closing;
  }

  /** @throws {MemoryError} `unavailable`, if the log is closed. */
  checkNotClosed(): void {
    if (this.#closing !== undefined) throw new MemoryError("unavailable", "the log is closed. Open it again");
  }

  get #newest(): Segment {
    return this.#segments.at(-1)!;
  }

  #checkOpen(): void {
    this.checkNotClosed();
    if (this.#failure === undefined) return;
    if (this.#dependencies.clock.now() >= this.#retryAt) void this.probe().catch(() => undefined);
    throw this.#failure;
  }

  async #write(group: RecordGroup): Promise<void> {
    if (this.#newest.sizeBytes >= this.#options.segmentBytes) await this.#startSegment();
    const { salt, sizeBytes } = this.#newest;
    if (this.#options.durability === "disk") await this.#file.writeDurably(group.seal(salt), sizeBytes);
    else await this.#file.write(group.seal(salt), sizeBytes);
    this.#newest.addGroup(group);
  }

  async #startSegment(): Promise<void> {
    const { isEmpty, nextSeq } = this.#newest;
    if (isEmpty) return;
    // Recovery assumes in both modes that every segment except the newest is complete.
    await this.#file.sync();
    const position = { firstSeq: nextSeq, continuesFrom: nextSeq };
    const { openFile, keeper } = this.#dependencies;
    const created = await createSegment(this.#directory, position, openFile);
    try {
      this.#isKeeperAhead = true;
      await keeper?.keep([...this.#segments, created.segment].map(({ part }) => part));
    } catch (error) {
      await created.file.close();
      throw error;
    }
    this.#isKeeperAhead = false;
    const previous = this.#file;
    this.#file = created.file;
    this.#segments.push(created.segment);
    await previous.close();
  }

  async #undoOnFailure(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      throw await this.#rollBack(error);
    }
  }

  /**
   * Undoes everything that is not durable. If this fails too, marks the log as failed, because the end of its
   * file is then unknown.
   * @returns the error of the rejected appends.
   */
  async #rollBack(cause: unknown): Promise<unknown> {
    const { logger } = this.#dependencies;
    const error = asLogError(cause, "failed to write the log");
    logger.error({ err: cause, firstLostSeq: this.#newest.nextSeq }, "a write to the log failed, undoing it");
    const lost = this.#queue.takeBack(this.#newest.nextSeq);
    try {
      await this.#truncate();
    } catch (cutCause) {
      this.#fail(cutCause);
      lost.push(...this.#queue.takeBack(this.#newest.nextSeq));
    }
    for (const group of lost) group.reject(error);
    return error;
  }

  /** Refuses records until the newest segment is found intact and the failed write is undone. */
  #fail(cause: unknown): void {
    const { clock, logger } = this.#dependencies;
    const reasonText = cause instanceof Error ? cause.message : String(cause);
    const detail = { reason: "log_failed", retry_after_ms: RETRY_S * 1_000 };
    this.#retryAt = clock.now() + RETRY_S;
    this.#failure = new MemoryError(
      "unavailable",
      `the log has failed: ${reasonText}. Retry after retry_after_ms`,
      detail,
      { cause },
    );
    logger.error({ err: cause }, "the log refuses records until its files can be written again");
  }

  async #reopen(): Promise<void> {
    this.#retryAt = this.#dependencies.clock.now() + RETRY_S;
    try {
      const file = await this.#openNewest("r+");
      await this.#file.close().catch(() => undefined);
      this.#file = file;
      await this.#truncate();
    } catch {
      return;
    }
    this.#failure = undefined;
    this.#dependencies.logger.warn({}, "the log accepts records again");
  }

  /** @throws {Error} If the file is not the one that was written, or is shorter. */
  async #openNewest(flags: "r" | "r+"): Promise<LogFile> {
    const { path, firstSeq, salt, sizeBytes } = this.#newest;
    const file = await this.#dependencies.openFile(path, flags);
    try {
      const header = await readHeader(file, { path, firstSeq });
      if (header?.salt !== salt || (await file.size()) < sizeBytes)
        throw new Error(`${path} was replaced or truncated`);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Removes the remains of a failed write: bytes at the end, or a new segment. */
  async #truncate(): Promise<void> {
    const { isEmpty, nextSeq, sizeBytes } = this.#newest;
    // The keeper is updated before the file is removed, because a crash may happen in between and kept files
    // must exist.
    if (this.#isKeeperAhead) await this.#dependencies.keeper?.keep(this.#segments.map(({ part }) => part));
    this.#isKeeperAhead = false;
    if (!isEmpty) {
      await rm(segmentPath(this.#directory, nextSeq), { force: true });
      await syncDirectory(this.#directory);
    }
    await this.#file.truncate(sizeBytes);
    await this.#file.sync();
  }
}
