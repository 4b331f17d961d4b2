import type { MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { BucketEntry, ClusterBucket } from "../bucket/index.js";
import {
  type HostRecord,
  hostKey,
  OWNERSHIP_KEYS,
  type PinRecord,
  parseOwnership,
  type ShardRecord,
} from "./ownership-records.js";

/** A record as it was last read. */
export interface Seen<T> {
  /** Undefined if the record is unreadable. */
  readonly record: T | undefined;
  readonly revision: number;
  /** Time at which this revision was first read, as observed time. */
  readonly seenAt: number;
  /** Unix seconds of the server's clock. */
  readonly writtenAt: number;
}

/** Changes that one poll reads at most. The next poll reads the others. */
const CHANGES_PER_POLL_MAX = 1_000;

/** Time between two polls that counts at most as observed, so that servers without a leader end no lease. */
const OBSERVED_MS_MAX = 1_000;

/** The records of all hosts and shards as this host has read them. */
export class OwnershipView {
  readonly hosts = new Map<string, Seen<HostRecord>>();
  readonly shards = new Map<number, Seen<ShardRecord>>();
  readonly pins = new Map<number, Seen<PinRecord>>();
  readonly #bucket: ClusterBucket;
  readonly #clock: MonotonicClock;
  readonly #logger: Logger;
  #revision = 0;
  /** Time at which the view was certainly complete, of the monotonic clock. */
  #completeAt: number;
  /** Observed time until then. It advances while polls are answered. */
  #observedMs = 0;

  constructor(bucket: ClusterBucket, clock: MonotonicClock, logger: Logger) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#completeAt = clock.elapsedMs();
    this.#logger = logger;
  }

  /** Reads the changes since the last poll. Errors as in the bucket. */
  async poll(): Promise<void> {
    for (let count = 0; count < CHANGES_PER_POLL_MAX; count++) {
      const sentAt = this.#clock.elapsedMs();
      const entry = await this.#bucket.next(OWNERSHIP_KEYS, this.#revision);
      if (entry === undefined) {
        this.#observedMs = this.#observedAt(sentAt);
        this.#completeAt = sentAt;
        return;
      }
      this.#take(entry);
      this.#revision = entry.revision;
    }
  }

  /** Reads the record of one host, which may have been removed. */
  async refreshHost(host: string): Promise<void> {
    const entry = await this.#bucket.get(hostKey(host));
    if (entry === undefined) this.hosts.delete(host);
    else this.#take(entry);
  }

  /** How long a record certainly stayed unchanged while polls were answered. Milliseconds. */
  unchangedMs({ seenAt }: Seen<unknown>): number {
    return this.#observedMs - seenAt;
  }

  #observedAt(time: number): number {
    return this.#observedMs + Math.min(time - this.#completeAt, OBSERVED_MS_MAX);
  }

  #take({ key, value, revision, writtenAt }: BucketEntry): void {
    const named = parseOwnership(key, value);
    const seenAt = this.#observedAt(this.#clock.elapsedMs());
    if (named === undefined) return;
    if (named.record === undefined) this.#logger.error({ key, revision }, "ownership record is unreadable");
    const seen = { revision, seenAt, writtenAt };
    if (named.kind === "host") replaceOlder(this.hosts, named.host, { record: named.record, ...seen });
    else if (named.kind === "shard")
      replaceOlder(this.shards, named.shard, { record: named.record, ...seen });
    else replaceOlder(this.pins, named.shard, { record: named.record, ...seen });
  }
}

/** A direct read can be ahead of the polls. */
function replaceOlder<K, T>(records: Map<K, Seen<T>>, name: K, found: Seen<T>): void {
  if (found.revision > (records.get(name)?.revision ?? 0)) records.set(name, found);
}
