import type { Json, MemoryKey, MetadataValue } from "@membus/protocol";
import { textBytes } from "./text-bytes.js";

/** What filters and events see of an entry, besides its numbers and its group. Held in RAM as JSON. */
export interface RowFacets {
  readonly key: MemoryKey;
  readonly tags: readonly string[];
  readonly source: string;
  readonly author: string;
  readonly metadata?: Readonly<Record<string, MetadataValue>>;
  /** Key hashes of what it was derived from; absent where it is empty. */
  readonly sources?: readonly string[];
}

/** What only the reader of an entry needs. Held in a cache and on disk as JSON. */
export interface RowBody {
  readonly content: Json;
  /** Seconds, as last given; null without. */
  readonly ttl: number | null;
  /** `text` and `context` where the caller gave them. */
  readonly text?: string;
  readonly context?: string;
  /** Set where the caller gave the embedding himself. */
  readonly embedding_given?: true;
}

/**
 * The numbers of a row and their columns' names in storage, declared once: slots, log records and tables hold what stands
 * here, in this order. Times are Unix seconds.
 */
export const NUMBER_COLUMNS = {
  /** Unique in the tier and growing in log order; never shown to callers, so it may tell of other scopes. */
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

/** A column for each number, of any number of rows. */
export type NumberColumns = { readonly [Field in NumberField]: Float64Array };

/** Makes something of each number field, in their order. Written out: an object that a loop fills is far slower to make. */
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

/** One immutable version of an entry: what a log record, a table row and a partition slot hold of it. */
export interface Row extends RowNumbers {
  readonly keyHash: string;
  /** "": in no group. */
  readonly group: string;
  /** JSON of `RowFacets`. */
  readonly facets: string;
  /** JSON of `RowBody`. */
  readonly body: string;
  /** Packed terms; null where analysis waits for the first query. */
  readonly terms: Uint32Array | null;
  /** The analyzer of the terms: those of different ones are never compared. */
  readonly analyzer: string;
  /** Embedder that was asked for the vector; "" while none has answered. */
  readonly embedder: string;
  /** null while none has answered, and for a text that has none. */
  readonly vector: Float32Array | null;
}

/** Of two versions of one key, whether `a` is the later: a row rewritten with its vector keeps its revision. */
export function supersedes(a: Pick<Row, "revision" | "rowId">, b: Pick<Row, "revision" | "rowId">): boolean {
  return a.revision > b.revision || (a.revision === b.revision && a.rowId > b.rowId);
}

/** `now` in Unix seconds. */
export function isExpired({ expiresAt }: Pick<Row, "expiresAt">, now: number): boolean {
  return expiresAt !== 0 && expiresAt <= now;
}

/** Bytes that a row takes in RAM, roughly; in the log hardly more. */
export function rowBytes(row: Row): number {
  const texts = textBytes(row.facets) + textBytes(row.body) + textBytes(row.group);
  return 320 + texts + (row.terms?.byteLength ?? 0) + (row.vector?.byteLength ?? 0);
}
