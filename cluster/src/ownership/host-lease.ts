import { randomUUID } from "node:crypto";
import type { MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { ClusterBucket } from "../bucket/index.js";
import { type HostRecord, hostKey, parseOwnership, RELEASED } from "./ownership-records.js";

/** Part of the lease during which its holder relies on it. The rest covers clocks of different speed. */
const HELD_PART = 0.8;
/** Leases without a renewal after which the holder gives up, so that no request waits without end. */
const ENDED_AFTER_LEASES = 3;
/** Many, because servers that elect a leader answer no renewal for up to 9 s. */
const RENEWALS_PER_LEASE = 10;
/** Attempts per lease while renewals fail. */
const ATTEMPTS_PER_LEASE = 20;

export interface LeaseParts {
  readonly bucket: ClusterBucket;
  readonly host: string;
  readonly leaseMs: number;
  readonly clock: MonotonicClock;
  readonly logger: Logger;
  /** Called once when a lease has ended before its release. */
  onEnded(reason: string): void;
}

/**
 * The lease of this host. It is held until 0.8 leases after the last successful renewal was sent. A late renewal brings
 * it back, because no other host has ended it then. It ends for good when its record is another one, or after three
 * leases without a renewal. While the host stops it ends once it is not held.
 */
export class HostLease {
  /** Id of this process in the record. */
  readonly instance = randomUUID();
  readonly #parts: LeaseParts;
  #isStopping = false;
  #isDrained = false;
  #revision = 0;
  /** Time at which the last successful renewal was sent, of the monotonic clock. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #isBegun = false;
  /** Whether a renewal has failed since the last successful one. */
  #hasFailed = false;
  /** Whether the log says that the lease has run out. */
  #isPaused = false;
  /** Number of the current lease. An answer to a renewal of an earlier one is ignored. */
  #number = 0;
  #cancelRenewal: () => void = () => {};
  #cancelEnd: () => void = () => {};

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Whether this host takes no more shards, because it stops or because an operator drains it. */
  get isLeaving(): boolean {
    return this.#isStopping || this.#isDrained;
  }

  get isHeld(): boolean {
    return this.#isBegun && this.#isWithin(HELD_PART);
  }

  /** Ends the lease if it is too old. Returns whether it goes on, though it may not be held before its next renewal. */
  goesOn(): boolean {
    const isOver = this.#isStopping ? !this.isHeld : !this.#isWithin(ENDED_AFTER_LEASES);
    if (this.#isBegun && isOver) this.#end("the lease of this host was not renewed in time");
    return this.#isBegun;
  }

  /**
   * Takes the lease that has this revision. 0 if the host has none. Must not be called while a lease goes on.
   * @param isDrained whether an operator drains this process, if its record says so.
   * @returns whether the lease is held. False if the record has changed. Errors as in the bucket.
   */
  async begin(revision: number, isDrained = this.#isDrained): Promise<boolean> {
    this.#isDrained = isDrained;
    const { bucket, host, clock } = this.#parts;
    const sentAt = clock.elapsedMs();
    const written = await bucket.write(hostKey(host), this.#value, revision);
    if (written === undefined) return false;
    this.#isBegun = true;
    this.#number += 1;
    this.#extend(sentAt, written);
    return this.isHeld;
  }

  /** Renews the lease with a note that this host takes no more shards. Errors as in the bucket. */
  async announceLeaving(): Promise<void> {
    this.#isStopping = true;
    this.#endInTime();
    await this.#renew();
  }

  /** Gives the lease up, so that other hosts need not wait. Errors as in the bucket. */
  async release(): Promise<void> {
    if (!this.#isBegun) return;
    this.#stop();
    const { bucket, host } = this.#parts;
    await bucket.write(hostKey(host), JSON.stringify(RELEASED), this.#revision);
  }

  get #value(): string {
    return JSON.stringify({ instance: this.instance, isLeaving: this.isLeaving } satisfies HostRecord);
  }

  get #ageMs(): number {
    return this.#parts.clock.elapsedMs() - this.#renewedAt;
  }

  #isWithin(leases: number): boolean {
    return this.#ageMs < leases * this.#parts.leaseMs;
  }

  #extend(sentAt: number, revision: number): void {
    this.#hasFailed = false;
    this.#isPaused = false;
    this.#renewedAt = sentAt;
    this.#revision = revision;
    this.#endInTime();
    this.#renewAfter(this.#parts.leaseMs / RENEWALS_PER_LEASE - this.#ageMs);
  }

  #endInTime(): void {
    const leases = this.#isStopping ? HELD_PART : ENDED_AFTER_LEASES;
    const { clock, leaseMs } = this.#parts;
    this.#cancelEnd();
    this.#cancelEnd = clock.after(Math.max(leases * leaseMs - this.#ageMs, 0), () => this.goesOn());
  }

  #renewAfter(delayMs: number): void {
    this.#cancelRenewal();
    this.#cancelRenewal = this.#parts.clock.after(Math.max(delayMs, 0), () => void this.#tryRenewal());
  }

  async #tryRenewal(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      this.#logFailure(error);
      if (this.#isBegun) this.#renewAfter(this.#parts.leaseMs / ATTEMPTS_PER_LEASE);
    }
  }

  #logFailure(error: unknown): void {
    const { host, logger } = this.#parts;
    if (!this.#hasFailed) logger.warn({ err: error }, "renewal of the host's lease failed, trying again");
    this.#hasFailed = true;
    if (this.isHeld || !this.#isBegun || this.#isPaused) return;
    this.#isPaused = true;
    logger.warn({ host }, "the host's lease has run out, its shards answer again after a renewal");
  }

  async #renew(): Promise<void> {
    if (!this.#isBegun) return;
    const { bucket, host, clock } = this.#parts;
    const sentAt = clock.elapsedMs();
    const lease = this.#number;
    const revision = await bucket.write(hostKey(host), this.#value, this.#revision);
    if (this.#hasEnded(lease)) return;
    if (revision === undefined) return this.#adopt();
    this.#extend(sentAt, revision);
  }

  /** Renews once more if the record is from an earlier renewal that got no answer, or if an operator changed it. */
  async #adopt(): Promise<void> {
    const { bucket, host } = this.#parts;
    const lease = this.#number;
    const entry = await bucket.get(hostKey(host));
    const named = entry && parseOwnership(entry.key, entry.value);
    if (this.#hasEnded(lease)) return;
    const isOwn = named?.kind === "host" && named.record?.instance === this.instance;
    if (entry === undefined || !isOwn) return this.#end("another process has the lease of this host");
    this.#isDrained = named.record.isLeaving;
    this.#revision = entry.revision;
    this.#renewAfter(0);
  }

  /** Whether this lease has ended, also if another one has begun since. */
  #hasEnded(lease: number): boolean {
    return !this.goesOn() || lease !== this.#number;
  }

  #end(reason: string): void {
    this.#stop();
    this.#parts.onEnded(reason);
  }

  #stop(): void {
    this.#isBegun = false;
    this.#cancelEnd();
    this.#cancelRenewal();
  }
}
