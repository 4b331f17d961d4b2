import { MemoryError } from "@membus/protocol";
import { type Row, rowBytes } from "../row.js";
import type { ScopedRow } from "../storage.js";
import { type LogRecord, seqOf } from "./record.js";

export interface BacklogOptions {
  readonly countMax: number;
  readonly bytesMax: number;
}

/** A mutation, or its effect on one of several scopes. */
interface BacklogRecord {
  readonly seq: number;
  /** "": none. The record contains only a reply. */
  readonly scope: string;
  readonly rowIds: readonly number[];
  /** Removed rows that storage has, or will have when this record is flushed. */
  readonly removed: readonly number[];
  /** Whether rows were removed without replacement: forgotten or expired. */
  readonly forgets: boolean;
}

/** Data that one step of a flush writes. */
export interface FlushSlice {
  /** Last record of the slice. After the slice, storage has everything up to this record. */
  readonly lastSeq: number;
  readonly rows: readonly ScopedRow[];
  readonly removed: readonly { readonly scope: string; readonly rowId: number }[];
  /** Whether bytes of forgotten or expired rows remain in storage or in the log. */
  readonly forgets: boolean;
}

/** Approximate limits of one step of a flush. */
export interface SliceBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/** Changes of a scope that its stored rows do not include yet. */
export interface ScopeBacklog {
  readonly rows: readonly Row[];
  readonly removed: ReadonlySet<number>;
}

/**
 * Logged mutations that are not in storage yet, in order. It is bounded: above the limit, stores are refused.
 */
export class Backlog {
  #records: BacklogRecord[] = [];
  /** Rows that are not in storage. A row that is removed before its flush is never stored. */
  readonly #rows = new Map<number, ScopedRow>();
  readonly #byScope = new Map<string, BacklogRecord[]>();
  #sizeBytes = 0;
  /** Last record that was passed to a flush. Storage may have its rows. */
  #slicedSeq = 0;

  constructor(readonly options: BacklogOptions) {}

  add(seq: number, record: LogRecord): void {
    this.#add(seq, record);
    for (const part of record.scopeRemovals ?? []) this.#add(seq, { ...part, rows: [] });
  }

  #add(seq: number, { scope, rows, removed }: Pick<LogRecord, "scope" | "rows" | "removed">): void {
    for (const row of rows) {
      this.#rows.set(row.rowId, { scope, row });
      this.#sizeBytes += rowBytes(row);
    }
    const record = {
      seq,
      scope,
      rowIds: rows.map((row) => row.rowId),
      removed: removed.filter((rowId) => !this.#dropUnsliced(rowId)),
      forgets: rows.length === 0 && removed.length > 0,
    };
    this.#records.push(record);
    this.#sizeBytes += recordBytes(record);
    if (scope === "") return;
    const ofScope = this.#byScope.get(scope);
    if (ofScope === undefined) this.#byScope.set(scope, [record]);
    else ofScope.push(record);
  }

  /** @throws {MemoryError} `overloaded` while storage is too far behind the log. */
  checkCapacity(): void {
    const { countMax, bytesMax } = this.options;
    const count = Math.max(this.#rows.size, this.#records.length);
    if (count < countMax && this.#sizeBytes < bytesMax) return;
    const message = "too many stored entries wait to be flushed to disk, retry later";
    throw new MemoryError("overloaded", message, { retry_after_ms: 500, limit: "backlog", max: countMax });
  }

  /** Whether more than a quarter of its space is in use. */
  get isLarge(): boolean {
    const { countMax, bytesMax } = this.options;
    return Math.max(this.#rows.size, this.#records.length) > countMax / 4 || this.#sizeBytes > bytesMax / 4;
  }

  get rowCount(): number {
    return this.#rows.size;
  }

  get recordCount(): number {
    return this.#records.length;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get scopes(): Iterable<string> {
    return this.#byScope.keys();
  }

  /** Pins bodies that exist only in the backlog. Called after recovery. */
  pinBodies(bodies: { pin(rowId: number, body: string): void }): void {
    for (const { row } of this.#rows.values()) bodies.pin(row.rowId, row.body);
  }

  has(scope: string): boolean {
    return this.#byScope.has(scope);
  }

  ofScope(scope: string): ScopeBacklog {
    const rows: Row[] = [];
    const removed = new Set<number>();
    for (const record of this.#byScope.get(scope) ?? []) {
      for (const rowId of record.removed) removed.add(rowId);
      for (const rowId of record.rowIds) {
        const row = this.#rows.get(rowId)?.row;
        if (row !== undefined) rows.push(row);
      }
    }
    return { rows, removed };
  }

  /** Sequence number of the newest record. 0 if there is none. */
  get lastSeq(): number {
    return this.#records.at(-1)?.seq ?? 0;
  }

  /**
   * Returns the next records up to `upToSeq`, about as many as the bounds allow, or undefined if there are
   * none. They stay until `flushed`.
   */
  slice({ rowsMax, bytesMax }: SliceBounds, upToSeq: number): FlushSlice | undefined {
    const rows: ScopedRow[] = [];
    const removed: { scope: string; rowId: number }[] = [];
    let lastSeq = 0;
    let sizeBytes = 0;
    let forgets = false;
    for (const record of this.#records) {
      if (record.seq > upToSeq) break;
      // A mutation is never split between steps.
      const isNext = lastSeq > 0 && record.seq > lastSeq;
      if (isNext && rows.length + removed.length + record.rowIds.length > rowsMax) break;
      if (isNext && sizeBytes >= bytesMax) break;
      lastSeq = record.seq;
      forgets ||= record.forgets;
      for (const rowId of record.rowIds) {
        const row = this.#rows.get(rowId);
        if (row === undefined) continue;
        rows.push(row);
        sizeBytes += rowBytes(row.row);
      }
      for (const rowId of record.removed) removed.push({ scope: record.scope, rowId });
    }
    this.#slicedSeq = Math.max(this.#slicedSeq, lastSeq);
    return lastSeq === 0 ? undefined : { lastSeq, rows, removed, forgets };
  }

  /** Removes the records up to `lastSeq`, which are in storage now. Returns the ids of the stored rows. */
  flushed(lastSeq: number): number[] {
    const end = this.#records.findIndex((record) => record.seq > lastSeq);
    const done = this.#records.splice(0, end === -1 ? this.#records.length : end);
    const stored: number[] = [];
    for (const record of done) {
      this.#sizeBytes -= recordBytes(record);
      for (const rowId of record.rowIds) if (this.#dropRow(rowId)) stored.push(rowId);
    }
    for (const scope of new Set(done.map((record) => record.scope))) this.#dropFlushed(scope, lastSeq);
    return stored;
  }

  #dropFlushed(scope: string, lastSeq: number): void {
    const rest = (this.#byScope.get(scope) ?? []).filter((record) => record.seq > lastSeq);
    if (rest.length === 0) this.#byScope.delete(scope);
    else this.#byScope.set(scope, rest);
  }

  /** Drops a row and returns whether it was never passed to a flush, so that storage need not remove it. */
  #dropUnsliced(rowId: number): boolean {
    return this.#dropRow(rowId) && seqOf(rowId) > this.#slicedSeq;
  }

  #dropRow(rowId: number): boolean {
    const row = this.#rows.get(rowId);
    if (row === undefined) return false;
    this.#sizeBytes -= rowBytes(row.row);
    return this.#rows.delete(rowId);
  }
}

function recordBytes({ rowIds, removed }: BacklogRecord): number {
  return 128 + 8 * (rowIds.length + removed.length);
}
