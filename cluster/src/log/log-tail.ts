import type { Log } from "@membus/disk";
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
  readonly #waiting: LogGroup[] = [];
  readonly #rollbackListeners = new Set<(firstLostSeq: number) => void>();
  /** Assigned when an append is called. Set back only when its appends are rejected. */
  #nextSeq: number;
  #inFlight: LogGroup | undefined;
  #closing: Promise<void> | undefined;
  #failure: MemoryError | undefined;
  #queuedCount = 0;
  #queuedBytes = 0;
  #groupCount = 0;
  #commitMs = 0;
  #latestCommitMs = 0;

  constructor(segments: StreamSegment[], parts: LogParts) {
    this.#segments = segments;
    this.#parts = parts;
    this.#nextSeq = this.#newest.nextSeq;
    this.#starter = new SegmentStarter(segments, this.#writes, parts);
  }

  get nextSeq(): number {
    return this.#nextSeq;
  }

  get stats(): Pick<Log["stats"], "queuedCount" | "queuedBytes" | "groupCount" | "commitMs" | "failed"> {
    return {
      queuedCount: this.#queuedCount,
      queuedBytes: this.#queuedBytes,
      groupCount: this.#groupCount,
      commitMs: this.#commitMs,
      failed: this.#failure !== undefined,
    };
  }

  async append(encode: (seq: number) => Uint8Array): Promise<number> {
    this.#checkOpen();
    this.#checkQueue();
    const seq = this.#nextSeq;
    const payload = encode(seq);
    if (this.#nextSeq !== seq) throw new TypeError("encode() must not append to the log");
    this.#checkSize(payload);
    this.#nextSeq = seq + 1;
    this.#queuedCount += 1;
    this.#queuedBytes += payload.length;
    return this.#groupFor(seq, payload).add(payload);
  }

  onRollback(listener: (firstLostSeq: number) => void): () => void {
    this.#rollbackListeners.add(listener);
    return () => this.#rollbackListeners.delete(listener);
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

  #checkQueue(): void {
    const { queueCountMax, queueBytesMax } = this.#parts.options;
    if (this.#queuedCount < queueCountMax && this.#queuedBytes < queueBytesMax) return;
    const untilDrainedMs = this.#latestCommitMs * (this.#waiting.length + 1);
    const detail = { retry_after_ms: Math.max(1, Math.ceil(untilDrainedMs)) };
    throw new MemoryError("overloaded", "the log queue is full. Retry after retry_after_ms", detail);
  }

  #checkSize({ length }: Uint8Array): void {
    const max = this.#parts.options.recordBytesMax;
    if (length <= max) return;
    const message = `a log record has ${length} bytes, the limit is ${max}. Split it`;
    throw new MemoryError("too_large", message, { limit: "messageBytes", max, got: length });
  }

  /** Returns the group for the next record. Each group is written by one task, after the tasks before it. */
  #groupFor(seq: number, payload: Uint8Array): LogGroup {
    const latest = this.#waiting.at(-1);
    if (latest?.hasRoom(payload, this.#parts.messageBytesMax)) return latest;
    const group = new LogGroup(seq);
    this.#waiting.push(group);
    void this.#writes(() => this.#commitNext());
    return group;
  }

  async #commitNext(): Promise<void> {
    const group = this.#waiting.shift();
    if (group === undefined) return;
    this.#inFlight = group;
    const startedAt = this.#parts.clock.now();
    try {
      await this.#write(group);
    } catch (error) {
      return this.#rollBack(error);
    }
    this.#inFlight = undefined;
    this.#queuedCount -= group.count;
    this.#queuedBytes -= group.payloadBytes;
    this.#groupCount += 1;
    this.#latestCommitMs = (this.#parts.clock.now() - startedAt) * 1000;
    this.#commitMs += this.#latestCommitMs;
    group.resolve();
    if (this.#newest.sizeBytes >= this.#parts.options.segmentBytes) this.#starter.startInBackground();
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
  }

  /** Rejects all records that are not durable. Without space for them the log continues, else it ends. */
  #rollBack(cause: unknown): void {
    const { logger, hold } = this.#parts;
    const firstLostSeq = this.#newest.nextSeq;
    const isFull = isMemoryError(cause) && cause.code === "memory_full";
    // The full stream can be deleted once its records are stored elsewhere and another one is in use.
    if (isFull) this.#starter.startInBackground();
    else this.#failure = lostLog(hold, "a write to its log failed", cause);
    logger.error({ err: cause, firstLostSeq }, "a write to the log failed, its records are rejected");
    const lost = [this.#inFlight ?? [], this.#waiting.splice(0)].flat();
    this.#inFlight = undefined;
    this.#nextSeq = firstLostSeq;
    this.#queuedCount = 0;
    this.#queuedBytes = 0;
    for (const listener of this.#rollbackListeners) listener(firstLostSeq);
    for (const group of lost) group.reject(this.#failure ?? cause);
  }
}
