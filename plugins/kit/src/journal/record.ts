import { crc32 } from "node:zlib";
import type { ErrorCode, ErrorDetail, StoreReceipt } from "@membus/protocol";
import { decode, Encoder } from "@msgpack/msgpack";
import { eachNumber, NUMBER_FIELDS, type Row } from "../row.js";

/** The remembered reply of a mutation. Retryable errors are not included. */
export interface OperationResult {
  /** Scope id of a store. */
  readonly scope?: string;
  readonly receipts?: readonly StoreReceipt[];
  readonly errors?: readonly {
    readonly index: number;
    readonly code: ErrorCode;
    readonly message: string;
    readonly detail: ErrorDetail;
  }[];
  /** Number of entries that a forget has deleted so far. */
  readonly deleted?: number;
  /** Last scope id, in their order, in which an unfinished forget is done. "" if there is none. */
  readonly through?: string;
  /** Number of derived entries among them by level, for a forget with `cascade`. */
  readonly cascaded?: readonly number[];
  /** First record of a forget, set after its reply was logged again. */
  readonly firstSeq?: number;
}

/** Request that a record belongs to. `done` is false on all but the last record of a forget in slices. */
export interface OperationStamp {
  readonly tenant: string;
  readonly agent: string;
  readonly id: string;
  readonly digest: string;
  readonly done: boolean;
  /** Seconds since the operation, in a reply that was logged again. */
  readonly age?: number;
}

/** Row ids of removed versions of a scope. */
export interface ScopeRemoval {
  /** Scope id. */
  readonly scope: string;
  readonly removed: readonly number[];
}

/**
 * One mutation of one scope, or of several that it removes from. It contains effect and reply, so that both
 * are durable or neither.
 */
export interface LogRecord {
  /** Time of acceptance. Unix seconds. */
  readonly at: number;
  /** Scope id. "" for a record without effect. */
  readonly scope: string;
  readonly rows: readonly Row[];
  /** Row ids of removed versions: superseded, forgotten, expired. */
  readonly removed: readonly number[];
  /** All removals of a forget with `cascade`, by scope. Such a record has no scope. */
  readonly scopeRemovals?: readonly ScopeRemoval[];
  readonly op?: OperationStamp;
  readonly result?: OperationResult;
  /** Set if storage has the rows durably. Only the reply is left in the record. */
  readonly isStored?: true;
  /** Value of `newestForgotten()` for such a record, which no longer lists its removals. */
  readonly newestForgotten?: number;
}

/** Returns how many rows a record adds or removes. */
export function rowCountOf({ rows, removed, scopeRemovals = [] }: LogRecord): number {
  return scopeRemovals.reduce((count, part) => count + part.removed.length, rows.length + removed.length);
}

/**
 * Returns the newest record that added one of the rows that this record forgets or expires. 0 if it removes
 * none without replacement.
 */
export function newestForgotten({ rows, removed, scopeRemovals = [] }: LogRecord): number {
  if (rows.length > 0) return 0;
  const newestOf = (rowIds: readonly number[]) => rowIds.reduce((max, rowId) => Math.max(max, rowId), 0);
  return seqOf(Math.max(newestOf(removed), ...scopeRemovals.map((part) => newestOf(part.removed))));
}

/** Row ids per record: enough for the 1000 entries of the largest store. */
const ROW_IDS_PER_RECORD = 1_024;

export function rowIdOf(seq: number, index: number): number {
  return seq * ROW_IDS_PER_RECORD + index;
}

/** Returns the sequence number of the record that added a row. */
export function seqOf(rowId: number): number {
  return Math.floor(rowId / ROW_IDS_PER_RECORD);
}

/**
 * Returns the Unix seconds that the clock must not fall below while this record is on disk: two microseconds
 * after its newest revision, which may be later than the acceptance. One microsecond is lost when seconds are
 * converted to revisions.
 */
export function latestTime({ at, rows }: LogRecord): number {
  return rows.reduce((latest, { revision }) => Math.max(latest, (revision + 2) / 1e6), at);
}

const headEncoder = new Encoder();
const bodyEncoder = new Encoder({ ignoreUndefined: true });

type PackedStamp = readonly [
  tenant: string,
  agent: string,
  id: string,
  digest: string,
  done: boolean,
  age?: number,
];
type PackedHead = readonly [
  at: number,
  scope: string,
  stamp: PackedStamp | null,
  newestForgotten: number,
  isStored?: true,
];
type PackedBody = readonly [
  removed: readonly number[],
  rows: PackedRow[],
  result: OperationResult | null,
  ...scopeRemovals: ScopeRemoval[],
];

/** CRC-32 and length of the head, 32 bits each. */
const HEAD_AT = 8;

/**
 * Encodes a record. The head comes first and has its own checksum, because the log may return only the first
 * 4 KiB of a record.
 */
export function encodeRecord(record: LogRecord): Uint8Array {
  const { at, scope, rows, removed, scopeRemovals = [], op, result, isStored } = record;
  const stamp = op ? packStamp(op) : null;
  const newest = record.newestForgotten ?? newestForgotten(record);
  const head: PackedHead = isStored ? [at, scope, stamp, newest, true] : [at, scope, stamp, newest];
  const body: PackedBody = [removed, rows.map(packRow), result ?? null, ...scopeRemovals];
  const headBytes = headEncoder.encodeSharedRef(head);
  const prefix = Buffer.allocUnsafe(HEAD_AT);
  prefix.writeUInt32LE(crc32(headBytes), 0);
  prefix.writeUInt32LE(headBytes.length, 4);
  return Buffer.concat([prefix, headBytes, bodyEncoder.encodeSharedRef(body)]);
}

/** A record that decodes its rows and result on demand. */
export interface RecordHead extends Pick<LogRecord, "at" | "scope" | "op" | "isStored"> {
  /** See `newestForgotten`. */
  readonly newestForgotten: number;
  /** Decodes the whole record. The complete payload must still exist. */
  read(): LogRecord;
}

/** @throws {RangeError} if the head is damaged or incomplete. */
export function decodeHead(payload: Uint8Array): RecordHead {
  const prefix = new DataView(payload.buffer, payload.byteOffset, HEAD_AT);
  const headEnd = HEAD_AT + prefix.getUint32(4, true);
  const headBytes = payload.subarray(HEAD_AT, headEnd);
  if (crc32(headBytes) !== prefix.getUint32(0, true))
    throw new RangeError("the head of the log record is damaged");
  const [at, scope, stamp, newestForgotten, isStored] = decode(headBytes) as PackedHead;
  const given = {
    ...(stamp === null ? {} : { op: unpackStamp(stamp) }),
    ...(isStored ? { isStored } : {}),
  };
  const read = (): LogRecord => {
    const [removed, rows, result, ...scopeRemovals] = decode(payload.subarray(headEnd)) as PackedBody;
    return {
      ...{ at, scope, rows: rows.map(unpackRow), removed, ...given },
      ...(result === null ? {} : { result }),
      ...(scopeRemovals.length === 0 ? {} : { scopeRemovals }),
    };
  };
  return { at, scope, ...given, newestForgotten, read };
}

export function decodeRecord(payload: Uint8Array): LogRecord {
  return decodeHead(payload).read();
}

/** Returns a stored record reduced to its reply, which retries need. */
export function withoutRows(payload: Uint8Array): Uint8Array {
  const { newestForgotten, read } = decodeHead(payload);
  const { at, scope, op, result } = read();
  const reply = { ...(op && { op }), ...(result && { result }) };
  return encodeRecord({ at, scope, rows: [], removed: [], isStored: true, newestForgotten, ...reply });
}

function packStamp({ tenant, agent, id, digest, done, age }: OperationStamp): PackedStamp {
  return age === undefined ? [tenant, agent, id, digest, done] : [tenant, agent, id, digest, done, age];
}

function unpackStamp([tenant, agent, id, digest, done, age]: PackedStamp): OperationStamp {
  return { tenant, agent, id, digest, done, ...(age !== undefined && { age }) };
}

export type PackedRow = readonly [
  numbers: readonly number[],
  keyHash: Uint8Array,
  group: string,
  facets: string,
  body: string,
  terms: Uint8Array | null,
  embedder: string,
  vector: Uint8Array | null,
  analyzer: string,
];

export function packRow(row: Row): PackedRow {
  return [
    NUMBER_FIELDS.map((field) => row[field]),
    Buffer.from(row.keyHash, "hex"),
    row.group,
    row.facets,
    row.body,
    row.terms && bytesOf(row.terms),
    row.embedder,
    row.vector && bytesOf(row.vector),
    row.analyzer,
  ];
}

export function unpackRow(packed: PackedRow): Row {
  const [numbers, keyHash, group, facets, body, terms, embedder, vector, analyzer] = packed;
  let next = 0;
  return {
    keyHash: Buffer.from(keyHash).toString("hex"),
    group,
    facets,
    body,
    terms: terms && new Uint32Array(aligned(terms)),
    embedder,
    vector: vector && new Float32Array(aligned(vector)),
    analyzer,
    ...eachNumber(() => numbers[next++]!),
  };
}

function bytesOf(array: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * Returns a copy, because typed arrays of four bytes need an aligned buffer. `slice` of a `Buffer` does not
 * copy.
 */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
