import { delay, type MonotonicClock, parseOptions } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { ClusterBucket } from "../bucket/index.js";
import { HostLease } from "./host-lease.js";
import {
  type OwnershipOptions,
  OwnershipOptionsSchema,
  type ResolvedOwnershipOptions,
} from "./ownership-options.js";
import { hostKey, RELEASED, type ShardRecord, shardKey } from "./ownership-records.js";
import { OwnershipView } from "./ownership-view.js";
import { bestHost } from "./placement.js";
import { shardMoved } from "./shard-moved.js";

/** Leases after which the record of a stopped host is removed. */
const REMOVED_AFTER_LEASES = 10;
/** Time between two looks at a lease that waits for a late renewal. */
const LATE_RENEWAL_MS = 50;

/** Callbacks of a host for the shards that it owns. Only `onLost` may be called while `handOver` of that shard runs. */
export interface OwnershipEvents {
  /** The host owns the shard from now on. A higher epoch follows every other owner. */
  onAcquired(shard: number, epoch: number): void;
  /** The host no longer owns the shard, also while `handOver` runs. */
  onLost(shard: number, epoch: number, reason: string): void;
  /** Flushes and closes the shard for its next owner. Called while the host still owns it. */
  handOver(shard: number, epoch: number): Promise<void>;
}

export interface OwnershipServices {
  readonly bucket: ClusterBucket;
  readonly clock: MonotonicClock;
  readonly logger: Logger;
}

interface OwnedShard {
  readonly epoch: number;
  readonly revision: number;
}

/**
 * Shards that this host owns. At most one host owns a shard at a time, and each take-over has a higher epoch.
 *
 * A host owns a shard if the shard's record names it and its own lease is held. The lease of a silent host is
 * ended by compare-and-set before its shards are taken, so that a late renewal fails. Until then the host keeps its
 * shards, and owns them again after a late renewal.
 */
export class ShardOwnership {
  readonly #options: ResolvedOwnershipOptions;
  readonly #services: OwnershipServices;
  readonly #events: OwnershipEvents;
  readonly #view: OwnershipView;
  readonly #lease: HostLease;
  readonly #owned = new Map<number, OwnedShard>();
  readonly #handingOver = new Map<number, Promise<void>>();
  #cancelStep: () => void = () => {};
  #step: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isWaitingForName = false;
  /** Message of each failed task that has not succeeded since. */
  readonly #failures = new Map<string, string>();

  /** Begins to take shards. @throws {TypeError} for an unknown option or a value out of range. */
  constructor(input: OwnershipOptions, services: OwnershipServices, events: OwnershipEvents) {
    this.#options = parseOptions(OwnershipOptionsSchema, input);
    const { host, leaseMs } = this.#options;
    this.#services = services;
    this.#events = events;
    const { bucket, clock, logger } = services;
    this.#view = new OwnershipView(bucket, clock, logger);
    const onEnded = (reason: string) => this.#loseAll(reason);
    this.#lease = new HostLease({ bucket, host, leaseMs, clock, logger, onEnded });
    this.#scheduleStep(0);
  }

  /** Returns the epoch in which this host owns the shard now. */
  epochOf(shard: number): number | undefined {
    return this.#lease.isHeld ? this.#owned.get(shard)?.epoch : undefined;
  }

  /** Whether this host owns the shard in this epoch, or will after a late renewal of its lease. */
  keeps(shard: number, epoch: number): boolean {
    return this.#lease.goesOn() && this.#owned.get(shard)?.epoch === epoch;
  }

  /** Resolves when this host owns the shard in this epoch. @throws {MemoryError} `unavailable` once the shard is lost. */
  async untilOwned(shard: number, epoch: number): Promise<void> {
    while (!this.#lease.isHeld && this.keeps(shard, epoch))
      await delay(this.#services.clock, LATE_RENEWAL_MS);
    this.mustOwn(shard, epoch);
  }

  /** @throws {MemoryError} `unavailable` unless this host owns the shard in this epoch. */
  mustOwn(shard: number, epoch: number): void {
    if (this.epochOf(shard) === epoch) return;
    throw shardMoved(`this host does not own shard ${shard}, send it again`);
  }

  /** Gives up a shard that another epoch has written to. Does nothing in any other epoch. */
  lose(shard: number, epoch: number, reason: string): void {
    if (this.#owned.get(shard)?.epoch !== epoch) return;
    this.#owned.delete(shard);
    this.#services.logger.warn({ shard, epoch, reason }, "lost a shard");
    this.#events.onLost(shard, epoch, reason);
  }

  /** Hands all shards over and gives the lease up. Errors are logged, and others then wait for the lease. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelStep();
    await this.#step;
    await this.#attempt("announce", () => this.#lease.announceLeaving());
    for (const shard of this.#owned.keys()) this.#handOver(shard);
    await Promise.all(this.#handingOver.values());
    await this.#attempt("release the lease", () => this.#lease.release());
  }

  #scheduleStep(delayMs: number): void {
    this.#cancelStep = this.#services.clock.after(delayMs, () => {
      this.#step = this.#attempt("read the records of the cluster", () => this.#runStep()).then(() => {
        if (!this.#isStopped) this.#scheduleStep(this.#options.pollMs);
      });
    });
  }

  async #runStep(): Promise<void> {
    await this.#view.poll();
    await this.#evictSilentHosts();
    if (!this.#lease.isHeld && !(await this.#beginLease())) return;
    this.#loseTaken();
    for (let shard = 0; shard < this.#options.shardCount && !this.#isStopped; shard++)
      await this.#placeShard(shard);
    await this.#removeStoppedHosts();
  }

  /** Ends leases without renewals. A record that has changed since is left as it is. */
  async #evictSilentHosts(): Promise<void> {
    for (const [host, seen] of this.#view.hosts) {
      const isSilent = this.#view.unchangedMs(seen) >= this.#options.leaseMs;
      if (!isSilent || seen.record?.instance === "") continue;
      const { bucket, logger } = this.#services;
      const written = await bucket.write(hostKey(host), JSON.stringify(RELEASED), seen.revision);
      if (written !== undefined) logger.warn({ host }, "a host did not renew its lease, taking its shards");
      await this.#view.refreshHost(host);
    }
  }

  /** Returns whether the lease is held. One that goes on needs no begin. */
  async #beginLease(): Promise<boolean> {
    if (this.#lease.goesOn()) return false;
    const { host } = this.#options;
    const seen = this.#view.hosts.get(host);
    const { instance, isLeaving } = seen?.record ?? {};
    const isOwn = instance === this.#lease.instance;
    const isFree = seen === undefined || instance === "" || isOwn;
    if (isFree && (await this.#lease.begin(seen?.revision ?? 0, isOwn ? isLeaving : undefined))) return true;
    if (!isFree && !this.#isWaitingForName) {
      this.#isWaitingForName = true;
      this.#services.logger.warn(
        { host },
        "another process has this host's name, waiting for the end of its lease. If it runs on, give this host another name",
      );
    }
    await this.#view.refreshHost(host);
    return false;
  }

  /** Gives up shards with a record of another host. */
  #loseTaken(): void {
    for (const [shard, { epoch, revision }] of this.#owned) {
      const seen = this.#view.shards.get(shard);
      if (seen !== undefined && seen.revision > revision)
        this.lose(shard, epoch, "another host has taken it");
    }
  }

  async #placeShard(shard: number): Promise<void> {
    const { host } = this.#options;
    const seen = this.#view.shards.get(shard);
    const best = this.#bestHost(shard);
    if (this.#owned.has(shard)) {
      if (best !== host && best !== undefined) this.#handOver(shard);
      return;
    }
    if (this.#handingOver.has(shard)) return;
    const isFree = seen === undefined || (seen.record && !this.#isRunning(seen.record.host));
    if (seen?.record?.host === host || (isFree && best === host)) await this.#acquire(shard);
  }

  /** An update without an answer is not repeated: the next poll shows the record, which then names this host. */
  async #acquire(shard: number): Promise<void> {
    const seen = this.#view.shards.get(shard);
    const { host } = this.#options;
    const epoch = (seen?.record?.epoch ?? 0) + 1;
    const value = JSON.stringify({ host, epoch } satisfies ShardRecord);
    const revision = await this.#services.bucket.write(shardKey(shard), value, seen?.revision ?? 0);
    if (revision === undefined || !this.#lease.isHeld) return;
    this.#owned.set(shard, { epoch, revision });
    this.#failures.delete(handOverOf(shard));
    this.#services.logger.info({ shard, epoch }, "acquired a shard");
    this.#events.onAcquired(shard, epoch);
  }

  #handOver(shard: number): void {
    const owned = this.#owned.get(shard);
    if (owned === undefined || this.#handingOver.has(shard)) return;
    const work = this.#attempt(handOverOf(shard), () => this.#runHandOver(shard, owned));
    this.#handingOver.set(
      shard,
      work.finally(() => this.#handingOver.delete(shard)),
    );
  }

  async #runHandOver(shard: number, { epoch, revision }: OwnedShard): Promise<void> {
    try {
      await this.#events.handOver(shard, epoch);
    } finally {
      await this.#release(shard, { epoch, revision });
    }
  }

  /** Names the next owner of a closed shard. Without the lease, or in another epoch, the record belongs to that owner. */
  async #release(shard: number, { epoch, revision }: OwnedShard): Promise<void> {
    await this.untilOwned(shard, epoch).catch(() => undefined);
    if (this.epochOf(shard) !== epoch) return;
    this.#owned.delete(shard);
    const host = this.#bestHost(shard) ?? "";
    const value = JSON.stringify({ host, epoch } satisfies ShardRecord);
    await this.#services.bucket.write(shardKey(shard), value, revision);
    this.#services.logger.info({ shard, epoch, host }, "handed a shard over");
  }

  /** Returns the host that should own a shard: the one that an operator chose, if it takes shards. */
  #bestHost(shard: number): string | undefined {
    const hosts = this.#takingHosts();
    const pinned = this.#view.pins.get(shard)?.record?.host;
    return pinned !== undefined && hosts.includes(pinned) ? pinned : bestHost(shard, hosts);
  }

  /** Hosts that take shards. A drained host takes them if no other one does. */
  #takingHosts(): string[] {
    const others = [...this.#view.hosts].flatMap(([host, { record }]) => {
      const takes = host !== this.#options.host && record?.instance && !record.isLeaving;
      return takes ? [host] : [];
    });
    const takesOwn = !this.#isStopped && (!this.#lease.isLeaving || others.length === 0);
    return takesOwn ? [...others, this.#options.host] : others;
  }

  /** Whether a host may hold its lease. The host of an unreadable record may. */
  #isRunning(host: string): boolean {
    const seen = this.#view.hosts.get(host);
    return seen !== undefined && seen.record?.instance !== "";
  }

  async #removeStoppedHosts(): Promise<void> {
    const owners = new Set([...this.#view.shards.values()].map(({ record }) => record?.host));
    for (const [host, seen] of this.#view.hosts) {
      const isOld = this.#view.unchangedMs(seen) >= REMOVED_AFTER_LEASES * this.#options.leaseMs;
      if (seen.record?.instance !== "" || !isOld || owners.has(host)) continue;
      await this.#services.bucket.remove(hostKey(host), seen.revision);
      this.#view.hosts.delete(host);
    }
  }

  #loseAll(reason: string): void {
    for (const [shard, { epoch }] of [...this.#owned]) this.lose(shard, epoch, reason);
  }

  /** Logs a failure of the work, once while it repeats. */
  async #attempt(task: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failures.delete(task);
    } catch (error) {
      const { message } = error as Error;
      if (this.#failures.get(task) === message) return;
      this.#failures.set(task, message);
      this.#services.logger.warn({ err: error, task }, "a step of ownership failed, trying again");
    }
  }
}

/** Name of a task, for logs. */
function handOverOf(shard: number): string {
  return `hand over shard ${shard}`;
}
