import type { Json, MemoryKey, MetadataValue } from "@membus/protocol";
import { textBytes } from "./text-bytes.js";

/**
 * Attributes of an entry for filters and events, apart from its numbers and its group. Kept in RAM as JSON.
 */
export interface RowFacets {
  readonly key: MemoryKey;
  readonly tags: readonly string[];
  readonly source: string;
  readonly author: string;
  readonly metadata?: Readonly<Record<string, MetadataValue>>;
  /** Key hashes of the entries it was derived from. Absent if empty. */
  readonly sources?: readonly string[];
}

/** Contents of an entry that only its readers need. Kept in a cache and on disk as JSON. */
export interface RowBody {
  readonly content: Json;
  /** Seconds, as last given. null without a TTL. */
  readonly ttl: number | null;
  /** `text` and `context`, if the caller gave them. */
  readonly text?: string;
  readonly context?: string;
  /** Set if the caller gave the embedding. */
  readonly embedding_given?: true;
}

/**
 * Numeric fields of a row and their column names in storage. Slots, log records and tables contain exactly
 * these fields, in this order. Times are Unix seconds.
 */
export const NUMBER_COLUMNS = {
  /**
   * Unique in the tier and increasing in log order. Never returned to callers, because it would reveal
   * activity in other scopes.
   */
  rowId: "row_id",
  revision: "revision",
  seq: "seq",
  created: "created",
  updated: "updated",
  occurredAt: "occurred_at",
  /** 0: never. */
  expiresAt: "expires_at",
  importance: "importance",
} as const;

export type NumberField = keyof typeof NUMBER_COLUMNS;

export const NUMBER_FIELDS = Object.keys(NUMBER_COLUMNS) as readonly NumberField[];

export type RowNumbers = { readonly [Field in NumberField]: number };

/** A column for each numeric field. */
export type NumberColumns = { readonly [Field in NumberField]: Float64Array };

/**
 * Returns an object with a value for each numeric field. The fields are written out because an object filled
 * in a loop is far slower to create.
 */
export function eachNumber<T>(make: (field: NumberField) => T): { [Field in NumberField]: T } {
  return {
    rowId: make("rowId"),
    revision: make("revision"),
    seq: make("seq"),
    created: make("created"),
    updated: make("updated"),
    occurredAt: make("occurredAt"),
    expiresAt: make("expiresAt"),
    importance: make("importance"),
  };
}

/** One immutable version of an entry, as log records, table rows and partition slots contain it. */
export interface Row extends RowNumbers {
  readonly keyHash: string;
  /** "" for an entry without a group. */
  readonly group: string;
  /** JSON of `RowFacets`. */
  readonly facets: string;
  /** JSON of `RowBody`. */
  readonly body: string;
  /** Packed terms. null if the row is analysed by the first query. */
  readonly terms: Uint32Array | null;
  /** Id of the analyzer of the terms. Terms of different analyzers are never compared. */
  readonly analyzer: string;
  /** Id of the embedder that was called for the vector. "" until one has returned. */
  readonly embedder: string;
  /** null until an embedder has returned, and for a text without a vector. */
  readonly vector: Float32Array | null;
}

/**
 * Returns whether `a` is the later of two versions of one key. A row that is rewritten with its vector keeps
 * its revision.
 */
export function supersedes(a: Pick<Row, "revision" | "rowId">, b: Pick<Row, "revision" | "rowId">): boolean {
  return a.revision > b.revision || (a.revision === b.revision && a.rowId > b.rowId);
}

/** Returns whether a row has expired. `now` is in Unix seconds. */
export function isExpired({ expiresAt }: Pick<Row, "expiresAt">, now: number): boolean {
  return expiresAt !== 0 && expiresAt <= now;
}

/** Returns the approximate size of a row in RAM, in bytes. Its size in the log is about the same. */
export function rowBytes(row: Row): number {
  const texts = textBytes(row.facets) + textBytes(row.body) + textBytes(row.group);
  return 320 + texts + (row.terms?.byteLength ?? 0) + (row.vector?.byteLength ?? 0);
}
