/** An entry in RAM. */
export interface RetainedEntry {
  /** Scope id. */
  readonly scope: string;
  readonly keyHash: string;
}

/** Eviction policy of a tier in memory. It is notified of every use and names the entries to evict. */
export interface Retention {
  /** Records a stored entry. `bodyBytes`: memory of the entry outside the partition. */
  stored(entry: RetainedEntry, bodyBytes: number): void;
  touched(entry: RetainedEntry): void;
  removed(entry: RetainedEntry): void;
  /**
   * Records the memory of a scope's live entries and indexes after every use. Indexes are built by the first
   * query.
   */
  measured(scope: string, partitionBytes: number): void;
  /**
   * Returns the entries to evict, least valuable first, so that the limits hold. Called after every store,
   * and at each sweep because reads build indexes.
   */
  overflow(): Iterable<RetainedEntry>;
  /** Idle time after which a session ends. Seconds. */
  readonly idleS: number;
  stats(): Readonly<Record<string, number>>;
}
