import type { Clock, Logger } from "@membus/protocol";

/**
 * When an append is acknowledged. "disk": when it is on disk, so it survives power loss. "process": after
 * `write`, so it survives the death of the process, not of the machine.
 */
export type Durability = "disk" | "process";

export interface LogStats {
  /** Sequence number of the oldest kept record; `nextSeq` when none is kept. */
  readonly firstSeq: number;
  readonly nextSeq: number;
  /** Bytes of all kept segment files. */
  readonly sizeBytes: number;
  readonly segmentCount: number;
  /** Appends that are not acknowledged yet, and their payload bytes. */
  readonly queuedCount: number;
  readonly queuedBytes: number;
  /** Groups made durable since opening, and the milliseconds spent on that. */
  readonly groupCount: number;
  readonly commitMs: number;
  /** Bytes of an unacknowledged tail that opening removed. */
  readonly cutBytes: number;
  /**
   * True when a failed write could not be undone, or the newest file is not where it was: the log takes no appends until
   * `probe`, or an append a second later, finds that the cause is gone.
   */
  readonly failed: boolean;
}

/**
 * Takes a record that opening finds. The payload is a view into a buffer that is used again: copy what is kept. Of a
 * large record below `nextSeqMin` it may be the first 4 KiB alone, which are not checked. If they make the receiver
 * throw, or something is wrong with the segment, the receiver gets its records again, checked and in full.
 */
export type OnRecord = (seq: number, payload: Uint8Array) => void;

/** What is to be kept of a record whose effect is stored elsewhere. */
export type ShrinkRecord = (payload: Uint8Array) => Uint8Array;

/** Opens the log of a tier in its directory. */
export type OpenLog = (directory: string, recovery: LogRecovery, services: LogServices) => Promise<Log>;

export interface LogServices {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a tier asks of the log that it opens. */
export interface LogRecovery {
  /** See `FileLogOptions`. */
  readonly nextSeqMin: number;
  /** Gets every record that is kept, oldest first, before the log is open. */
  readonly onRecord: OnRecord;
  /** Knows which parts the log must find. Absent: what is missing at either end is not noticed. */
  readonly keeper?: LogKeeper | undefined;
  /**
   * Opens without the parts that are missing, and sets those of another log aside.
   * @default false
   */
  readonly acceptLoss?: boolean | undefined;
}

/** A part of a log, such as a file, by its name; `id` is random. */
export interface LogPart {
  readonly name: string;
  readonly id: number;
}

/** Remembers outside the log what it consists of, so that a part that goes missing is missed. */
export interface LogKeeper {
  /** What `keep` was given last; undefined where it never was. Parts whose records are all stored may have gone since. */
  readonly kept: readonly LogPart[] | undefined;
  /** Called before records go into a new part. Resolves when it survives power loss. */
  keep(parts: readonly LogPart[]): Promise<void>;
}

/** An append-only sequence of records: the durability of a tier. Every mutation is one record. */
export interface Log {
  /** Sequence number the next append gets. Grows by one per append; goes back when appends fail. */
  readonly nextSeq: number;
  readonly stats: LogStats;

  /**
   * Appends one record. `encode` runs before this returns and its bytes are copied, so the order of calls is the
   * order of sequence numbers, and the buffer may be reused at once. `encode` must not append, and has no effect
   * to undo: its record may still be refused.
   * @returns the record's sequence number, once it is as durable as configured.
   * @throws {MemoryError} `too_large` (over `recordBytesMax`), `overloaded` with `retry_after_ms` (queue full),
   * `unavailable` (write or sync failed, or the log is closed): the record is not in the log. Only a log that `failed`
   * may still turn out to hold it when it is opened again.
   */
  append(encode: (seq: number) => Uint8Array): Promise<number>;

  /**
   * Calls `listener` when records are lost to a failed write: those numbered `firstLostSeq` and up never happened,
   * and their numbers are given out again. Runs before any of their appends rejects, and must not throw.
   * @returns a function that removes the listener.
   */
  onRollback(listener: (firstLostSeq: number) => void): () => void;

  /**
   * @returns the payload of one acknowledged record, owned by the caller.
   * @throws {MemoryError} `memory_not_found` when it is trimmed or was never acknowledged, `runtime_error` when its
   * bytes on disk are damaged, `unavailable` when they cannot be read.
   */
  read(seq: number): Promise<Uint8Array>;

  /** Removes the segments, oldest first, whose every record is numbered below `before`. Never the newest one. */
  trim(before: number): Promise<void>;

  /**
   * Writes the records numbered below `before` anew as `shrink` returns them, where that makes the log much smaller: a
   * segment at a time, never the newest, and each once. They keep their numbers. A log that cannot may leave them as
   * they are.
   */
  compact(before: number, shrink: ShrinkRecord): Promise<void>;

  /** Removes the copies that `repair` has made of damaged files. */
  removeSetAside(): Promise<void>;

  /** Whether there are any. */
  hasSetAside(): Promise<boolean>;

  /** Begins a new segment, unless the newest is empty: all records up to now can then be trimmed. */
  rotate(): Promise<void>;

  /**
   * Begins a new segment, and puts all that is acknowledged by now into `directory`, which a log opens as its own. Its
   * files may be the log's own under another name: who has them must not write to them.
   * @returns what a keeper of that log has to know.
   */
  snapshot(directory: string): Promise<readonly LogPart[]>;

  /** Looks whether the newest file is where it was, and whether a log that failed can be written again. */
  probe(): Promise<void>;

  /**
   * Checks the records of one more segment that opening has not checked, if there is one: all of them are stored
   * elsewhere, but replies are read from them.
   * @throws {MemoryError} `runtime_error` naming file and byte offset, when one is damaged.
   */
  check(): Promise<void>;

  /** Makes everything acknowledged up to now survive power loss. With "disk" it does already. */
  sync(): Promise<void>;

  /** Waits for what is queued, then releases the files. Later calls reject with `unavailable`. */
  close(): Promise<void>;
}
