import { type Scope, scopeId } from "@membus/protocol";
import type { Row } from "../../row.js";
import type { Partition } from "../../search/index.js";

/** What a key will be once the record with this sequence number is applied; `row` is null where it is removed. */
export interface StagedVersion {
  readonly seq: number;
  readonly row: Row | null;
}

/** Of all residents of which nothing is staged: each Map takes some hundred bytes, and most have nothing. */
const NOTHING_STAGED: ReadonlyMap<string, StagedVersion> = new Map();

/** A partition in RAM with what is about to happen to it. */
export class Resident {
  /** It was dropped: what works on it behind the requests ends. */
  hasLeft = false;
  /** Requests that use it now. */
  users = 0;
  sizeBytes = 0;
  /** Unix seconds. */
  usedAt = 0;
  /** Rows were forgotten whose traces the indexes still hold. */
  holdsForgotten: boolean;
  /** The embedding of its pending rows that is under way, in a tier in memory. */
  embedding: Promise<void> | undefined;
  /** Before that no embedder is asked for them, which has said so. Unix seconds. */
  embedAfter = 0;
  /** Row ids at which the embedder failed while it answered others, and when they are tried again. Unix seconds. */
  failedUntil: Map<number, number> | undefined;
  /** While what has expired leaves in steps, for whoever wants to look at it. */
  expiring: Promise<void> | undefined;
  /** How often bodies of its rows had to be read from storage. */
  bodyReads = 0;
  /** The words of its rows are being indexed behind the queries. */
  isBeingIndexed = false;
  #staged: Map<string, StagedVersion> | undefined;
  #lastRevision: number;
  #session: string | undefined;

  /** `loadedAt`: Unix seconds. A revision that was issued before is not above it: see `mayLeave`. */
  constructor(
    readonly id: string,
    readonly scope: Scope,
    readonly partition: Partition,
    loadedAt: number,
  ) {
    // Rows that were already gone when they were loaded.
    this.holdsForgotten = partition.columns.count > partition.liveCount;
    this.#lastRevision = Math.max(partition.lastRevision, Math.floor(loadedAt * 1e6) - 1);
  }

  /** The latest logged and not yet applied version of each key: plans build on it. */
  get staged(): ReadonlyMap<string, StagedVersion> {
    return this.#staged ?? NOTHING_STAGED;
  }

  /** The next revision: above every one issued here, and not below the time of acceptance in microseconds. */
  nextRevision(acceptedAt: number): number {
    this.#lastRevision = this.latestRevision(acceptedAt) + 1;
    return this.#lastRevision;
  }

  /** The next one is right above it. */
  latestRevision(acceptedAt: number): number {
    return Math.max(this.#lastRevision, Math.floor(acceptedAt * 1e6) - 1);
  }

  stage(keyHash: string, version: StagedVersion): void {
    this.#staged ??= new Map();
    this.#staged.set(keyHash, version);
  }

  /** The record is applied: unless a later one is staged, the partition speaks for the key again. */
  unstage(keyHash: string, seq: number): void {
    if (this.#staged?.get(keyHash)?.seq !== seq) return;
    this.#staged.delete(keyHash);
    if (this.#staged.size === 0) this.#staged = undefined;
  }

  /** These records, from the first on, never happened. */
  unstageFrom(firstLostSeq: number): void {
    for (const [keyHash, { seq }] of this.staged) if (seq >= firstLostSeq) this.unstage(keyHash, seq);
  }

  /** What the namespaces of one session have in common. */
  get session(): string {
    this.#session ??= scopeId({ ...this.scope, namespace: "" });
    return this.#session;
  }

  /** Neither holds an entry nor is about to. */
  get isEmpty(): boolean {
    return this.partition.liveCount === 0 && this.staged.size === 0;
  }

  /** Whether it can leave RAM at `now`: a revision ahead of the clock would be given out again. */
  mayLeave(now: number): boolean {
    return this.users === 0 && this.staged.size === 0 && this.#lastRevision < Math.floor(now * 1e6);
  }
}
