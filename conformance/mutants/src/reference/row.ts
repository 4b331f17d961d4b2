import type { Json, MemoryEntry, MemoryKey, MetadataValue, Scope } from "@membus/protocol";

/** An entry as the reference plugin stores it. */
export interface Row {
  readonly scope: Scope;
  readonly key: MemoryKey;
  readonly key_hash: string;
  readonly content: Json;
  readonly tags: readonly string[];
  readonly source: string;
  readonly author: string;
  readonly ttl: number | null;
  readonly expires_at?: number | undefined;
  readonly revision: number;
  readonly seq: number;
  readonly created: number;
  readonly updated: number;
  accessed: number;
  readonly occurred_at: number;
  readonly importance: number;
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
  readonly text?: string | undefined;
  readonly context?: string | undefined;
  readonly group?: string | undefined;
  /** Present only if the plugin stores sources and the entry has some. */
  readonly sources?: readonly string[] | undefined;
  /** Vector given by the caller. */
  readonly givenVector?: Float32Array | undefined;
  /** Vector for the search: the given one, or one computed from the text. */
  vector?: Float32Array | undefined;
  /** Embedder that computed the vector, if the plugin records it. */
  embedder?: string | undefined;
}

/** A row that a retrieve found. */
export interface Found {
  readonly row: Row;
  readonly score: number;
}

/** Converts a row to a returned entry. */
export function toEntry(
  row: Row,
  score: number,
  include: readonly string[],
  embedderId: string | undefined,
): MemoryEntry {
  const {
    scope,
    created,
    updated,
    accessed,
    givenVector: _,
    embedder: _embedder,
    vector,
    context,
    expires_at,
    ...fields
  } = row;
  const entry = {
    ...fields,
    tier: scope.tier,
    namespace: scope.namespace,
    timestamps: { created, updated, accessed },
    score,
    ...(expires_at !== undefined && { expires_at }),
    ...(include.includes("context") && context !== undefined && { context }),
    ...(include.includes("embedding") &&
      vector &&
      embedderId && { embedding: vector, embedding_model: embedderId }),
  };
  return entry as object as MemoryEntry;
}
