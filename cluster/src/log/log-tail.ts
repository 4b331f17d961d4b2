import { type Log, RecordQueue } from "@membus/disk";
import { isMemoryError, MemoryError } from "@membus/protocol";
import pLimit from "p-limit";
import { LogGroup } from "./log-group.js";
import type { LogParts } from "./log-parts.js";
import { lostLog } from "./lost-log.js";
import { SegmentStarter } from "./segment-starter.js";
import type { StreamSegment } from "./stream-segment.js";

/**
 * Writes the end of a log of streams. Records that arrive while a message is written form the next message. At
 * most one message is on its way, so every message follows the one before it.
 */
export class LogTail {
  readonly #parts: LogParts;
  /** Shared with the log, which trims the front. */
  readonly #segments: StreamSegment[];
  readonly #starter: SegmentStarter;
  readonly #writes = pLimit(1);
  readonly #queue: RecordQueue<LogGroup>;
  #closing: Promise<void> | undefined;
  #failure: MemoryError | undefined;

  constructor(segments: StreamSegment[], parts: LogParts) {
    this.#segments = segments;
    this.#parts = parts;
    this.#queue = new RecordQueue({
      limits: parts.options,
      clock: parts.clock,
      tasks: this.#writes,
      nextSeq: this.#newest.nextSeq,
      createGroup: (firstSeq) => new LogGroup(firstSeq),
      hasRoom: (group, payload) => group.hasRoom(payload, parts.messageBytesMax),
      write: (group) => this.#write(group),
      rollBack: (cause) => this.#rollBack(cause),
    });
    this.#starter = new SegmentStarter(segments, this.#writes, parts);
  }

  get nextSeq(): number {
    return this.#queue.nextSeq;
  }

  get stats(): Pick<Log["stats"], "queuedCount" | "queuedBytes" | "groupCount" | "commitMs" | "failed"> {
    return { ...this.#queue.stats, failed: this.#failure !== undefined };
  }

  async append(encode: (seq: number) => Uint8Array): Promise<number> {
    this.#checkOpen();
    return this.#queue.append(encode);
  }

  onRollback(listener: (firstLostSeq: number) => void): () => void {
    return this.#queue.onRollback(listener);
  }

  /** @returns the first number of the newest segment. */
  async rotate(isLazy: boolean): Promise<number> {
    this.#checkOpen();
    await this.#starter.start(isLazy ? "lazy" : "forced");
    return this.#newest.firstSeq;
  }

  close(): Promise<void> {
    this.#closing ??= this.#starter.end().then(() => this.#writes(() => undefined));
    return this.#closing;
  }

  /** @throws {MemoryError} `unavailable`, if the log is closed. */
  checkNotClosed(): void {
    if (this.#closing !== undefined) throw new MemoryError("unavailable", "the log is closed. Open it again");
  }

  get #newest(): StreamSegment {
    return this.#segments.at(-1)!;
  }

  #checkOpen(): void {
    this.checkNotClosed();
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #write(group: LogGroup): Promise<void> {
    const { writer, messageBytesMax } = this.#parts;
    const { firstSeq, count: recordCount, payloadBytes: sizeBytes } = group;
    const segment = this.#newest;
    const messages = group.messages(messageBytesMax);
    const count = messages.length;
    for (const [index, data] of messages.entries()) {
      const part = count === 1 ? undefined : { index: index + 1, count };
      await writer.write(segment, { firstSeq, part }, data);
    }
    const streamSeq = segment.streamSeq - count + 1;
    segment.addRecords({ firstSeq, streamSeq, count: recordCount, sizeBytes });
    if (segment.sizeBytes >= this.#parts.options.segmentBytes) this.#starter.startInBackground();
  }

  /** Rejects all records that are not durable. Without space for them the log continues, else it ends. */
  #rollBack(cause: unknown): void {
    const { logger, hold } = this.#parts;
    const firstLostSeq = this.#newest.nextSeq;
    const isFull = isMemoryError(cause) && cause.code === "memory_full";
    // Before the shard is given up, because the failures of a lost shard are of no interest.
    logger.error({ err: cause, firstLostSeq }, "a write to the log failed, its records are rejected");
    // The full stream can be deleted once its records are stored elsewhere and another one is in use.
    if (isFull) this.#starter.startInBackground();
    else this.#failure = lostLog(hold, "a write to its log failed", cause);
    const lost = this.#queue.takeBack(firstLostSeq);
    for (const group of lost) group.reject(this.#failure ?? cause);
  }
}
