import { type Scope, scopeId } from "@membus/protocol";
import type { Row } from "../../row.js";
import type { Partition } from "../../search/index.js";

/**
 * The version of a key after the record with this sequence number is applied. `row` is null for a removal.
 */
export interface StagedVersion {
  readonly seq: number;
  readonly row: Row | null;
}

/** Shared by all partitions without staged versions, because each Map takes some hundred bytes. */
const NOTHING_STAGED: ReadonlyMap<string, StagedVersion> = new Map();

/** A loaded partition with its pending changes. */
export class LoadedPartition {
  /** Whether it was unloaded. Background work on it then ends. */
  isUnloaded = false;
  /** Number of requests that use it now. */
  users = 0;
  sizeBytes = 0;
  /** Unix seconds. */
  usedAt = 0;
  /** Whether the indexes still contain forgotten rows. */
  hasForgottenRows: boolean;
  /** The running embedding of its pending rows, in a tier in memory. */
  embedding: Promise<void> | undefined;
  /** Earliest time of the next embedder call, as requested by the embedder. Unix seconds. */
  embedAfter = 0;
  /**
   * Row ids that the embedder failed to embed while it embedded others, with the time of the next retry. Unix
   * seconds.
   */
  failedUntil: Map<number, number> | undefined;
  /** Set while expired rows are removed in steps. Readers wait for it. */
  expiring: Promise<void> | undefined;
  /** Number of times that bodies were read from storage. */
  bodyReads = 0;
  /** Whether its words are being indexed in the background. */
  isIndexing = false;
  #staged: Map<string, StagedVersion> | undefined;
  #lastRevision: number;
  #session: string | undefined;

  /** `revisionMin`: not below any earlier revision of the scope, whether its row exists or not. */
  constructor(
    readonly id: string,
    readonly scope: Scope,
    readonly partition: Partition,
    revisionMin: number,
  ) {
    // Some rows were already removed when they were loaded.
    this.hasForgottenRows = partition.columns.count > partition.liveCount;
    this.#lastRevision = Math.max(partition.lastRevision, revisionMin);
  }

  /** The latest version of each key that is logged but not applied yet. Plans build on it. */
  get staged(): ReadonlyMap<string, StagedVersion> {
    return this.#staged ?? NOTHING_STAGED;
  }

  /**
   * Returns the next revision: above every one issued here, and not below the acceptance time in
   * microseconds.
   */
  nextRevision(acceptedAt: number): number {
    this.#lastRevision = this.latestRevision(acceptedAt) + 1;
    return this.#lastRevision;
  }

  /** Keeps later revisions above this one. */
  reserveRevision(revision: number): void {
    this.#lastRevision = Math.max(this.#lastRevision, revision);
  }

  /** Returns the revision that the next one follows. */
  latestRevision(acceptedAt: number): number {
    return Math.max(this.#lastRevision, Math.floor(acceptedAt * 1e6) - 1);
  }

  stage(keyHash: string, version: StagedVersion): void {
    this.#staged ??= new Map();
    this.#staged.set(keyHash, version);
  }

  /** Removes the staged version of an applied record, unless a later one is staged. */
  unstage(keyHash: string, seq: number): void {
    if (this.#staged?.get(keyHash)?.seq !== seq) return;
    this.#staged.delete(keyHash);
    if (this.#staged.size === 0) this.#staged = undefined;
  }

  /** Removes the staged versions of records that were lost, from the first one on. */
  unstageFrom(firstLostSeq: number): void {
    for (const [keyHash, { seq }] of this.staged) if (seq >= firstLostSeq) this.unstage(keyHash, seq);
  }

  /** Id shared by all namespaces of a session. */
  get session(): string {
    this.#session ??= scopeId({ ...this.scope, namespace: "" });
    return this.#session;
  }

  /** Whether it has no entry, stored or staged. */
  get isEmpty(): boolean {
    return this.partition.liveCount === 0 && this.staged.size === 0;
  }

  /** The highest revision that was issued here. */
  get lastRevision(): number {
    return this.#lastRevision;
  }

  /** Whether no request uses it and no change of it is pending. */
  get mayUnload(): boolean {
    return this.users === 0 && this.staged.size === 0;
  }
}
