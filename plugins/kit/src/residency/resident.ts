import type { Scope } from "@membus/protocol";
import type { Partition } from "../partition/partition.js";
import type { Row } from "../row.js";

/** A partition in RAM with what is about to happen to it. */
export class Resident {
  /** Versions that are logged but not applied yet, and null for a key whose removal is: plans build on them. */
  readonly staged = new Map<string, Row | null>();
  /** Requests that use it now. */
  users = 0;
  sizeBytes = 0;
  usedAt = 0;
  lastRevision: number;

  constructor(
    readonly id: string,
    readonly scope: Scope,
    readonly partition: Partition,
  ) {
    this.lastRevision = partition.lastRevision;
  }

  /** The next revision: above every one issued here, and not below the time of acceptance in microseconds. */
  nextRevision(acceptedAt: number): number {
    this.lastRevision = Math.max(this.lastRevision + 1, Math.floor(acceptedAt * 1e6));
    return this.lastRevision;
  }

  stage(keyHash: string, version: Row | null): void {
    this.staged.set(keyHash, version);
  }

  /** `version` is applied, or void: unless a later one is staged, the partition speaks for the key again. */
  unstage(keyHash: string, version: Row | null): void {
    if (this.staged.get(keyHash) === version) this.staged.delete(keyHash);
  }

  /** Whether it can leave RAM at `now`: a revision ahead of the clock would be given out again. */
  mayLeave(now: number): boolean {
    return this.users === 0 && this.staged.size === 0 && this.lastRevision < now * 1e6;
  }
}
