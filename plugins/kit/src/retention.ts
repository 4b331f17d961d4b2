/** One entry in RAM. */
export interface HeldEntry {
  /** Scope id. */
  readonly scope: string;
  readonly keyHash: string;
}

/** Which entries of a tier in memory stay: told of every use, it names what has to go. */
export interface Retention {
  stored(entry: HeldEntry, sizeBytes: number): void;
  touched(entry: HeldEntry): void;
  removed(entry: HeldEntry): void;
  /** What the live entries of a scope take with their indexes, which come with the first query. */
  measured(scope: string, partitionBytes: number): void;
  /** What has to go for its bounds to hold, least valuable first. Called after every store. */
  overflow(): Iterable<HeldEntry>;
  /** A session that nobody has used for so many seconds ends. */
  readonly idleS: number;
  stats(): Readonly<Record<string, number>>;
}
