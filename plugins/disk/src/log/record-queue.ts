import { type Clock, MemoryError } from "@membus/protocol";
import type { LimitFunction } from "p-limit";

/** Consecutive records that become durable together. */
export interface QueuedGroup {
  readonly firstSeq: number;
  readonly count: number;
  readonly payloadBytes: number;
  /** Adds the next record. @returns its number, once the group is resolved. */
  add(payload: Uint8Array): Promise<number>;
  resolve(): void;
  reject(error: unknown): void;
}

export interface RecordQueueParts<Group extends QueuedGroup> {
  readonly limits: {
    readonly queueCountMax: number;
    readonly queueBytesMax: number;
    readonly recordBytesMax: number;
  };
  readonly clock: Clock;
  /** Runs one task at a time. A group is written after the tasks that were started before it. */
  readonly tasks: LimitFunction;
  /** Number of the first record. */
  readonly nextSeq: number;
  createGroup(firstSeq: number): Group;
  /** Whether a group that waits takes this record too. */
  hasRoom(group: Group, payload: Uint8Array): boolean;
  /** Makes a group durable. */
  write(group: Group): Promise<void>;
  /** Called if `write` has failed. Takes all records back that are not durable, and rejects them. */
  rollBack(cause: unknown): unknown;
}

/**
 * Records that a log has accepted and not made durable yet. Records that arrive during a write form the next group,
 * and there is no other delay.
 */
export class RecordQueue<Group extends QueuedGroup> {
  readonly #parts: RecordQueueParts<Group>;
  readonly #waiting: Group[] = [];
  readonly #rollbackListeners = new Set<(firstLostSeq: number) => void>();
  #inFlight: Group | undefined;
  /** Assigned when an append is called. Set back only when its appends are rejected. */
  #nextSeq: number;
  #queuedCount = 0;
  #queuedBytes = 0;
  #groupCount = 0;
  #commitMs = 0;
  #latestCommitMs = 0;

  constructor(parts: RecordQueueParts<Group>) {
    this.#parts = parts;
    this.#nextSeq = parts.nextSeq;
  }

  get nextSeq(): number {
    return this.#nextSeq;
  }

  get stats(): Record<"queuedCount" | "queuedBytes" | "groupCount" | "commitMs", number> {
    return {
      queuedCount: this.#queuedCount,
      queuedBytes: this.#queuedBytes,
      groupCount: this.#groupCount,
      commitMs: this.#commitMs,
    };
  }

  /** See `Log.append`. */
  async append(encode: (seq: number) => Uint8Array): Promise<number> {
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

  /** See `Log.onRollback`. */
  onRollback(listener: (firstLostSeq: number) => void): () => void {
    this.#rollbackListeners.add(listener);
    return () => this.#rollbackListeners.delete(listener);
  }

  /**
   * Takes all records from `firstLostSeq` on back. Their numbers are given out again.
   * @returns their groups, to be rejected.
   */
  takeBack(firstLostSeq: number): Group[] {
    if (this.#nextSeq === firstLostSeq) return [];
    const lost = this.#waiting.splice(0);
    if (this.#inFlight !== undefined) lost.unshift(this.#inFlight);
    this.#inFlight = undefined;
    this.#nextSeq = firstLostSeq;
    this.#queuedCount = 0;
    this.#queuedBytes = 0;
    for (const listener of this.#rollbackListeners) listener(firstLostSeq);
    return lost;
  }

  #checkQueue(): void {
    const { queueCountMax, queueBytesMax } = this.#parts.limits;
    if (this.#queuedCount < queueCountMax && this.#queuedBytes < queueBytesMax) return;
    const untilDrainedMs = this.#latestCommitMs * (this.#waiting.length + 1);
    const detail = { retry_after_ms: Math.max(1, Math.ceil(untilDrainedMs)) };
    throw new MemoryError("overloaded", "the log queue is full. Retry after retry_after_ms", detail);
  }

  #checkSize({ length: got }: Uint8Array): void {
    const max = this.#parts.limits.recordBytesMax;
    if (got <= max) return;
    const message = `a log record has ${got} bytes, the limit is ${max}. Split it`;
    throw new MemoryError("too_large", message, { limit: "messageBytes", max, got });
  }

  /** Each group is written by one task, which starts after the tasks before it. */
  #groupFor(seq: number, payload: Uint8Array): Group {
    const { createGroup, hasRoom, tasks } = this.#parts;
    const latest = this.#waiting.at(-1);
    if (latest !== undefined && hasRoom(latest, payload)) return latest;
    const group = createGroup(seq);
    this.#waiting.push(group);
    void tasks(() => this.#commitNext());
    return group;
  }

  async #commitNext(): Promise<void> {
    const { clock, write, rollBack } = this.#parts;
    const group = this.#waiting.shift();
    if (group === undefined) return;
    this.#inFlight = group;
    const startedAt = clock.now();
    try {
      await write(group);
    } catch (error) {
      await rollBack(error);
      return;
    }
    this.#inFlight = undefined;
    this.#queuedCount -= group.count;
    this.#queuedBytes -= group.payloadBytes;
    this.#groupCount += 1;
    this.#latestCommitMs = (clock.now() - startedAt) * 1000;
    this.#commitMs += this.#latestCommitMs;
    group.resolve();
  }
}
