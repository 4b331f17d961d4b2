import { randomUUID } from "node:crypto";
import { MemoryError, type MonotonicClock } from "@membus/protocol";
import type { BucketEntry, ClusterBucket } from "../bucket/index.js";
import { repeatWhileOwned } from "./repeat-while-owned.js";
import type { ShardHold } from "./shard-hold.js";

/** A record with the epoch that wrote it. */
export interface EpochRecord {
  readonly key: string;
  readonly epoch: number;
  /** A JSON value. */
  readonly content: unknown;
  readonly revision: number;
  /** Id of the write, so that a writer recognizes a write without an answer. */
  readonly write: string;
}

type Stored = Pick<EpochRecord, "epoch" | "content" | "write">;

/**
 * Records of a shard that only its newest epoch writes. Every write replaces the revision that this epoch knows.
 * It is repeated until its result is known or the shard is lost. A record of a later epoch means that the shard
 * is lost.
 *
 * All methods throw `unavailable` once the shard is lost.
 */
export class EpochRecords {
  readonly #bucket: ClusterBucket;
  readonly #hold: ShardHold;
  readonly #clock: MonotonicClock;
  readonly #revisions = new Map<string, number>();

  constructor(bucket: ClusterBucket, hold: ShardHold, clock: MonotonicClock) {
    this.#bucket = bucket;
    this.#hold = hold;
    this.#clock = clock;
  }

  get epoch(): number {
    return this.#hold.epoch;
  }

  /**
   * Replaces a record so that earlier epochs cannot write it any more.
   * @param change returns the new content. Called again if an earlier epoch has written in between.
   */
  async claim<T>(key: string, change: (found: EpochRecord | undefined) => T | Promise<T>): Promise<T> {
    for (;;) {
      const found = await this.read(key);
      const content = await change(found);
      if ((await this.#replace(key, content, found?.revision ?? 0)) === undefined) return content;
    }
  }

  /** Replaces a record. A late write of an earlier epoch is overwritten. */
  async write(key: string, content: unknown): Promise<void> {
    let revision = this.#revisions.get(key) ?? 0;
    for (;;) {
      const found = await this.#replace(key, content, revision);
      if (found === undefined) return;
      revision = found.revision;
    }
  }

  /** Removes a record, unless a later epoch has written it. */
  async remove({ key, revision = this.#revisions.get(key) ?? 0 }: Partial<EpochRecord> & { key: string }) {
    await this.#untilAnswered(() => this.#bucket.remove(key, revision));
    this.#revisions.delete(key);
  }

  /** Returns all records with a key that matches `filter`. */
  async list(filter: string): Promise<EpochRecord[]> {
    const found: EpochRecord[] = [];
    let entry = await this.#untilAnswered(() => this.#bucket.next(filter, 0));
    while (entry !== undefined) {
      const { revision } = entry;
      found.push(parseRecord(entry));
      entry = await this.#untilAnswered(() => this.#bucket.next(filter, revision));
    }
    return found;
  }

  /** @returns the record of an earlier epoch that is there instead of this revision, if there is one. */
  async #replace(
    key: string,
    content: unknown,
    revision: number,
  ): Promise<Pick<EpochRecord, "revision"> | undefined> {
    const write = randomUUID();
    const value = JSON.stringify({ epoch: this.epoch, write, content } satisfies Stored);
    const written = await this.#untilAnswered(() => this.#bucket.write(key, value, revision));
    const found = written === undefined ? await this.read(key) : { revision: written, write };
    if (found?.write === write) {
      this.#revisions.set(key, found.revision);
      return undefined;
    }
    return found ?? { revision: 0 };
  }

  /** Returns a record of this or an earlier epoch. */
  async read(key: string): Promise<EpochRecord | undefined> {
    const entry = await this.#untilAnswered(() => this.#bucket.get(key));
    const found = entry && parseRecord(entry);
    if (found === undefined || found.epoch <= this.epoch) return found;
    this.#hold.lose(`epoch ${found.epoch} has written ${key}`);
    this.#hold.mustOwn();
    return found;
  }

  #untilAnswered<T>(request: () => Promise<T>): Promise<T> {
    return repeatWhileOwned({ hold: this.#hold, clock: this.#clock }, request);
  }
}

function parseRecord({ key, value, revision }: BucketEntry): EpochRecord {
  try {
    const stored = JSON.parse(Buffer.from(value ?? "").toString()) as Stored;
    if (Number.isInteger(stored.epoch)) return { ...stored, key, revision };
  } catch {}
  const message = `the cluster's record ${key} is unreadable: restore it from its history, or restore a backup`;
  throw new MemoryError("runtime_error", message, { reason: "record_unreadable", key, revision });
}
