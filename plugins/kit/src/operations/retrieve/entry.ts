import type { EntryExplanation, FilterableEntry, MemoryEntry, Neighbours, Snippet } from "@membus/protocol";
import type { LoadedPartition } from "../../lifecycle/index.js";
import type { Row, RowBody, RowFacets, RowNumbers } from "../../row.js";
import type { EntryPlan } from "./retrieve-plan.js";

/** A found entry, copied because mutations renumber slots. */
export interface Hit extends RowNumbers {
  readonly keyHash: string;
  readonly score: number;
  readonly accessed: number;
  /** Approximate size of its body and facets. */
  readonly bytes: number;
  readonly group: string;
  /** Set only if requested. */
  readonly vector?: Float32Array | undefined;
  readonly explanation?: EntryExplanation | undefined;
}

export function copyHit(
  loaded: LoadedPartition,
  slot: number,
  score: number,
  explanation?: EntryExplanation,
): Hit {
  const { columns, keys } = loaded.partition;
  return {
    keyHash: keys.hashOf(slot),
    score,
    accessed: columns.accessed[slot]!,
    bytes: columns.bodyBytes[slot]! + columns.facets.sizeAt(slot),
    group: columns.groups[slot]!,
    ...(explanation ? { explanation } : {}),
    ...columns.numbersAt(slot),
  };
}

/** Parts of an entry that a hit does not contain. */
export interface EntryTexts {
  readonly facets: RowFacets;
  readonly body: RowBody;
}

/** Optional parts of a returned entry. */
export interface EntryOptions extends Pick<EntryPlan, "hasVector" | "hasContext" | "hasSnippet"> {
  readonly embedder: string | undefined;
  /** Best passage, for the snippet and the explanation. */
  readonly passage?: Snippet | undefined;
  readonly neighbours?: Neighbours | undefined;
}

/** Returns the entry as sent to the caller (clause ENTRY-1). */
export function entryOf(
  loaded: LoadedPartition,
  hit: Hit,
  { facets, body }: EntryTexts,
  { hasVector, hasContext, hasSnippet, embedder, passage, neighbours }: EntryOptions,
): MemoryEntry {
  const { tier, namespace } = loaded.scope;
  const vector = hasVector ? hit.vector : undefined;
  return {
    key: facets.key,
    key_hash: hit.keyHash,
    content: body.content,
    tier,
    namespace,
    tags: [...facets.tags],
    source: facets.source,
    author: facets.author,
    score: hit.score,
    importance: hit.importance,
    ttl: body.ttl,
    timestamps: { created: hit.created, updated: hit.updated, accessed: hit.accessed },
    revision: hit.revision,
    seq: hit.seq,
    occurred_at: hit.occurredAt,
    ...(hit.expiresAt === 0 ? {} : { expires_at: hit.expiresAt }),
    ...(facets.metadata === undefined ? {} : { metadata: facets.metadata }),
    ...(facets.sources === undefined ? {} : { sources: facets.sources }),
    ...(body.text === undefined ? {} : { text: body.text }),
    ...(hit.group === "" ? {} : { group: hit.group }),
    ...(body.context !== undefined && hasContext ? { context: body.context } : {}),
    ...(vector === undefined ? {} : { embedding: vector, embedding_model: embedder }),
    ...(neighbours === undefined ? {} : { neighbours }),
    ...(passage !== undefined && hasSnippet ? { snippet: passage } : {}),
    ...(hit.explanation === undefined ? {} : { explain: withPassage(hit.explanation, passage) }),
  } as MemoryEntry;
}

/** Adds the positions of the passage to an explanation (clause RET-46). */
function withPassage(explanation: EntryExplanation, passage: Snippet | undefined): EntryExplanation {
  if (passage === undefined) return explanation;
  const { start, text } = passage;
  return { ...explanation, passage: { start, end: start + text.length } };
}

/** Returns a row in the form that filters use, before it has a slot. */
export function filterableEntry(row: Row): FilterableEntry {
  const facets = JSON.parse(row.facets) as RowFacets;
  return {
    key: facets.key,
    key_hash: row.keyHash,
    tags: facets.tags,
    source: facets.source,
    author: facets.author,
    group: row.group === "" ? undefined : row.group,
    importance: row.importance,
    occurred_at: row.occurredAt,
    expires_at: row.expiresAt === 0 ? undefined : row.expiresAt,
    timestamps: { created: row.created, updated: row.updated },
    metadata: facets.metadata,
    sources: facets.sources,
  };
}
