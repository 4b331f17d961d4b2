/** One entry in RAM. */
export interface HeldEntry {
  /** Scope id. */
  readonly scope: string;
  readonly keyHash: string;
}

/** Which entries of a tier in memory stay: told of every use, it names what has to go. */
export interface Retention {
  /** `bodyBytes`: what the entry takes in RAM besides its part of the partition. */
  stored(entry: HeldEntry, bodyBytes: number): void;
  touched(entry: HeldEntry): void;
  removed(entry: HeldEntry): void;
  /** What the live entries of a scope take with their indexes, which come with the first query; told after every use. */
  measured(scope: string, partitionBytes: number): void;
  /** What has to go for its bounds to hold, least valuable first. Called after every store, and at each sweep, as reads make indexes. */
  overflow(): Iterable<HeldEntry>;
  /** A session that nobody has used for so many seconds ends. */
  readonly idleS: number;
  stats(): Readonly<Record<string, number>>;
}
