import { randomUUID } from "node:crypto";
import type { MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { ClusterBucket } from "../bucket/index.js";
import { type HostRecord, hostKey, parseOwnership, RELEASED } from "./ownership-records.js";

/** Part of the lease during which its holder relies on it. The rest covers clocks of different speed. */
const HELD_PART = 0.8;
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
  /** Called once when a held lease has ended before its release. */
  onEnded(reason: string): void;
}

/**
 * The lease of this host. It is held until 0.8 leases after the last successful renewal was sent. A lease that
 * has ended stays ended, also if a late renewal succeeds.
 */
export class HostLease {
  /** Id of this process in the record. */
  readonly instance = randomUUID();
  readonly #parts: LeaseParts;
  #isStopping = false;
  #isDrained = false;
  #revision = 0;
  /** Moment of the monotonic clock at which the lease ends. */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #isBegun = false;
  /** Whether a renewal has failed since the last successful one. */
  #hasFailed = false;
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
    return this.#isBegun && this.#parts.clock.elapsedMs() < this.#heldUntil;
  }

  /**
   * Takes the lease that has this revision. 0 if the host has none. An earlier lease is ended first.
   * @param isDrained whether an operator drains this process, if its record says so.
   * @returns whether the lease is held. False if the record has changed. Errors as in the bucket.
   */
  async begin(revision: number, isDrained = this.#isDrained): Promise<boolean> {
    this.#endIfLate();
    this.#isDrained = isDrained;
    const { bucket, host, clock } = this.#parts;
    const sentAt = clock.elapsedMs();
    const written = await bucket.write(hostKey(host), this.#value, revision);
    if (written === undefined || clock.elapsedMs() >= this.#endAfter(sentAt)) return false;
    this.#revision = written;
    this.#isBegun = true;
    this.#number += 1;
    this.#extend(sentAt);
    return true;
  }

  /** Renews the lease with a note that this host takes no more shards. Errors as in the bucket. */
  async announceLeaving(): Promise<void> {
    this.#isStopping = true;
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

  #endAfter(sentAt: number): number {
    return sentAt + HELD_PART * this.#parts.leaseMs;
  }

  #extend(sentAt: number): void {
    const { clock, leaseMs } = this.#parts;
    this.#hasFailed = false;
    this.#heldUntil = this.#endAfter(sentAt);
    this.#cancelEnd();
    this.#cancelEnd = clock.after(this.#heldUntil - clock.elapsedMs(), () => this.#endIfLate());
    this.#renewAfter(sentAt + leaseMs / RENEWALS_PER_LEASE - clock.elapsedMs());
  }

  #renewAfter(delayMs: number): void {
    this.#cancelRenewal();
    this.#cancelRenewal = this.#parts.clock.after(Math.max(delayMs, 0), () => void this.#tryRenewal());
  }

  async #tryRenewal(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      if (!this.#hasFailed)
        this.#parts.logger.warn({ err: error }, "renewal of the host's lease failed, trying again");
      this.#hasFailed = true;
      if (this.#isBegun) this.#renewAfter(this.#parts.leaseMs / ATTEMPTS_PER_LEASE);
    }
  }

  async #renew(): Promise<void> {
    if (!this.#isBegun) return;
    const { bucket, host, clock } = this.#parts;
    const sentAt = clock.elapsedMs();
    const lease = this.#number;
    const revision = await bucket.write(hostKey(host), this.#value, this.#revision);
    if (this.#hasEnded(lease)) return;
    if (revision === undefined) return this.#adopt();
    this.#revision = revision;
    this.#extend(sentAt);
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
    return this.#endIfLate() || !this.#isBegun || lease !== this.#number;
  }

  /** Ends a lease after its time. A suspended process notices this late, and before its next renewal counts. */
  #endIfLate(): boolean {
    if (!this.#isBegun || this.isHeld) return false;
    this.#end("the lease of this host was not renewed in time");
    return true;
  }

  #end(reason: string): void {
    this.#stop();
    this.#parts.onEnded(reason);
  }

  #stop(): void {
    this.#isBegun = false;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    this.#cancelEnd();
    this.#cancelRenewal();
  }
}
