import type { Clock, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";

/**
 * Time of acknowledgement of an append. "disk": once it is on disk, so it survives power loss. "process":
 * after `write`, so it survives the death of the process but not of the machine.
 */
export type Durability = "disk" | "process";

export interface LogStats {
  /** Sequence number of the oldest kept record, or `nextSeq` if there is none. */
  readonly firstSeq: number;
  readonly nextSeq: number;
  /** Bytes of all segment files. */
  readonly sizeBytes: number;
  readonly segmentCount: number;
  /** Number of appends that are not acknowledged yet, and their payload bytes. */
  readonly queuedCount: number;
  readonly queuedBytes: number;
  /** Number of groups made durable since opening, and the milliseconds this took. */
  readonly groupCount: number;
  readonly commitMs: number;
  /** Bytes of an unacknowledged tail that opening removed. */
  readonly cutBytes: number;
  /**
   * True if a failed write could not be undone, or the newest file is not in place. The log then refuses
   * appends until `probe`, or an append one second later, finds that the cause is resolved.
   */
  readonly failed: boolean;
  /** True while servers answer no write. Absent for a log in files. */
  readonly stalled?: boolean;
  /** True while segments are kept because a server with their bytes is down. Absent for a log in files. */
  readonly waitsForServer?: boolean;
  /** Servers that store the log and are down or late, as far as `probe` has found. Absent for a log in files. */
  readonly absentServers?: readonly string[];
}

/**
 * Receives a record during opening. The payload is a view into a buffer that is reused: copy it to keep it.
 *
 * For a large record below `nextSeqMin` the payload may be only the first 4 KiB, unchecked. If the receiver
 * throws on it, or the segment is invalid, the receiver gets the segment's records again, checked and
 * complete.
 */
export type OnRecord = (seq: number, payload: Uint8Array) => void;

/** Returns the part to keep of a record that is stored elsewhere. */
export type ShrinkRecord = (payload: Uint8Array) => Uint8Array;

/** Opens the log of a tier in its directory. */
export type OpenLog = (directory: string, recovery: LogRecovery, services: LogServices) => Promise<Log>;

export interface LogServices {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Recovery options of a tier for its log. */
export interface LogRecovery {
  /** See `FileLogOptions`. */
  readonly nextSeqMin: number;
  /** Receives every kept record, oldest first, before the log is open. */
  readonly onRecord: OnRecord;
  /** Keeper of the expected parts. If absent, missing parts at either end are not detected. */
  readonly keeper?: LogKeeper | undefined;
  /**
   * Opens the log without missing parts, and sets parts of another log aside.
   * @default false
   */
  readonly acceptLoss?: boolean | undefined;
}

/** Part of a log, such as a file, by name. `id` is random. */
export interface LogPart {
  readonly name: string;
  readonly id: number;
}

/** Stores the list of parts outside the log, so that a missing part is detected. */
export interface LogKeeper {
  /**
   * Parts of the last `keep`, or undefined if it was never called. Parts with only stored records may have
   * been removed since.
   */
  readonly kept: readonly LogPart[] | undefined;
  /** Called before records are written to a new part. Resolves once the list survives power loss. */
  keep(parts: readonly LogPart[]): Promise<void>;
}

export interface RotateOptions {
  /**
   * Lets a log with expensive segments keep a young one. It then starts a new one at a later call.
   * @default false
   */
  readonly lazily?: boolean;
}

/** Append-only sequence of records that makes a tier durable. Every mutation is one record. */
export interface Log {
  /** Sequence number of the next append. Grows by one per append, and goes back if appends fail. */
  readonly nextSeq: number;
  readonly stats: LogStats;
  /** Error of stores while the log has so little space left that only records that free space are wanted. */
  readonly shortage?: MemoryError | undefined;

  /**
   * Appends one record. `encode` runs before this returns, and its bytes are copied. Therefore the order of
   * calls is the order of sequence numbers, and the buffer can be reused. `encode` must not append and must
   * have no side effects, because its record may still be refused.
   * @returns the record's sequence number, once it is as durable as configured.
   * @throws {MemoryError} `too_large` (over `recordBytesMax`), `overloaded` with `retry_after_ms` (queue
   * full), or `unavailable` (write or sync failed, or the log is closed). The record is not in the log. Only
   * a log that `failed` may still contain it when it is opened again.
   */
  append(encode: (seq: number) => Uint8Array): Promise<number>;

  /**
   * Calls `listener` when a failed write loses records. Records from `firstLostSeq` on were never written,
   * and their numbers are assigned again. Runs before their appends reject, and must not throw.
   * @returns a function that removes the listener.
   */
  onRollback(listener: (firstLostSeq: number) => void): () => void;

  /**
   * @returns the payload of one acknowledged record, owned by the caller.
   * @throws {MemoryError} `memory_not_found` if it was trimmed or never acknowledged, `runtime_error` if its
   * bytes on disk are damaged, `unavailable` if they cannot be read.
   */
  read(seq: number): Promise<Uint8Array>;

  /**
   * Removes the segments that contain only records below `before`, oldest first, except for the newest
   * segment.
   * @returns false if it kept such a segment, because a server that is down would keep the bytes.
   */
  trim(before: number): Promise<boolean>;

  /**
   * Rewrites the records below `before` as `shrink` returns them, if that makes the log much smaller.
   * Processes one segment at a time, each only once, and never the newest. Records keep their numbers. A log
   * without compaction may do nothing.
   */
  compact(before: number, shrink: ShrinkRecord): Promise<void>;

  /** Removes the copies of damaged files that `repair` has made. */
  removeSetAside(): Promise<void>;

  /** Returns whether such copies exist. */
  hasSetAside(): Promise<boolean>;

  /**
   * Starts a new segment, unless the newest is empty, so that all records up to now can be trimmed.
   * @returns the first number of the newest segment.
   */
  rotate(options?: RotateOptions): Promise<number>;

  /** Returns the first number from `seq` on at which a segment starts, or undefined if no segment does. */
  segmentFrom(seq: number): number | undefined;

  /**
   * Starts a new segment, and puts everything acknowledged so far into `directory`, which can be opened as a
   * separate log. The files may be hard links to the log's own files, so they must not be modified.
   * @returns the parts for the keeper of that log.
   */
  snapshot(directory: string): Promise<readonly LogPart[]>;

  /**
   * Checks that the newest file is in place, and whether a failed log can be written again. A log on servers looks for
   * servers that are down.
   */
  probe(): Promise<void>;

  /**
   * Checks the records of one more segment that opening has not checked. All of them are stored elsewhere,
   * but replies are read from them.
   * @throws {MemoryError} `runtime_error` naming file and byte offset, if a record is damaged.
   */
  check(): Promise<void>;

  /**
   * Makes everything acknowledged so far survive power loss. With "disk" durability this is already the case.
   */
  sync(): Promise<void>;

  /** Waits for queued records, then closes the files. Later calls reject with `unavailable`. */
  close(): Promise<void>;
}
