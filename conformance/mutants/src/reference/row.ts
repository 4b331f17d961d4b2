import type { Json, MemoryEntry, MemoryKey, MetadataValue, Scope } from "@membus/protocol";

/** An entry as the reference plugin keeps it. */
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
  /** Only where the plugin keeps them, and there are some. */
  readonly sources?: readonly string[] | undefined;
  /** What the caller gave. */
  readonly givenVector?: Float32Array | undefined;
  /** What it is found by: given, or of its text. */
  vector?: Float32Array | undefined;
  /** Whose vector that is, where it matters. */
  embedder?: string | undefined;
}

/** A row that a retrieve found. */
export interface Found {
  readonly row: Row;
  readonly score: number;
}

/** A row as it is returned. */
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
