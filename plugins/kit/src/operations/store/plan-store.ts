import { canonicalJson, type Json, MemoryError } from "@membus/protocol";
import type { StoreItem } from "@membus/protocol/plugin";
import {
  type DocumentIndex,
  type DocumentIndexer,
  indexedContext,
  indexedText,
} from "../../lifecycle/index.js";
import type { Row, RowBody, RowFacets } from "../../row.js";
import { unitVector } from "../../search/index.js";

/** A new version without the fields that commit and analysis add. */
export interface Draft
  extends Omit<Row, "rowId" | "revision" | "facets" | "body" | "terms" | "analyzer" | "vector"> {
  readonly facets: RowFacets;
  readonly body: RowBody;
  /** Vector from the caller, or kept with an unchanged text. */
  readonly vector: Float32Array | null;
}

/** The complete current version of the key. */
export interface Previous extends Omit<Row, "facets" | "body" | "terms" | "analyzer"> {
  readonly facets: RowFacets;
  readonly body: RowBody;
}

export type Plan =
  | { readonly outcome: "created" | "updated"; readonly draft: Draft }
  | { readonly outcome: "unchanged"; readonly revision: number }
  | { readonly outcome: "refused"; readonly error: MemoryError };

export interface PlanContext {
  /** The acting agent. */
  readonly agent: string;
  /** Time of acceptance. Unix seconds. */
  readonly acceptedAt: number;
  /** Id of the embedder of vectors from callers. "" without an embedder. */
  readonly embedder: string;
  /** Whether entries of other authors must not be changed. */
  readonly ownOnly: boolean;
}

/** Plans the result of storing `item` over `previous` (clauses UPD-1 to UPD-7, PLUG-23). Pure function. */
export function planStore(item: StoreItem, previous: Previous | undefined, context: PlanContext): Plan {
  if (context.ownOnly && previous !== undefined && previous.facets.author !== context.agent) {
    const error = new MemoryError("unauthorized", "the entry belongs to another agent", { path: "key" });
    return { outcome: "refused", error };
  }
  const condition = item.if_revision;
  if (condition != null && condition !== (previous?.revision ?? 0)) {
    return { outcome: "refused", error: conflict(previous?.revision ?? 0) };
  }
  const draft = merge(item, previous, context);
  if (previous === undefined) return { outcome: "created", draft };
  if (isUnchanged(item, draft, previous)) return { outcome: "unchanged", revision: previous.revision };
  return { outcome: "updated", draft };
}

function conflict(revision: number): MemoryError {
  const state = revision === 0 ? "does not exist" : `is at revision ${revision}`;
  return new MemoryError("conflict", `the entry ${state}`, { revision });
}

function merge(item: StoreItem, previous: Previous | undefined, context: PlanContext): Draft {
  const created = previous?.created ?? context.acceptedAt;
  const sameContent = previous !== undefined && equal(item.content, previous.body.content);
  const body = mergeBody(item, sameContent ? previous.body : undefined, previous?.body.context);
  const metadata = kept(item.metadata, previous?.facets.metadata);
  const sources = kept(item.sources, previous?.facets.sources) ?? [];
  const importance = previous
    ? kept(item.importance, previous.importance)
    : (item.importance ?? item.score ?? undefined);
  const keptVector = body.embedding_given && item.embedding === undefined ? previous : undefined;
  return {
    keyHash: item.key_hash,
    seq: previous?.seq ?? 0,
    created,
    updated: context.acceptedAt,
    occurredAt: kept(item.occurred_at, previous?.occurredAt) ?? created,
    expiresAt: item.expires_at ?? 0,
    importance: importance ?? 1,
    group: kept(item.group, previous?.group) ?? "",
    facets: {
      key: item.key,
      tags: item.tags ?? [],
      source: item.source ?? context.agent,
      author: context.agent,
      ...(metadata === undefined ? {} : { metadata }),
      ...(sources.length === 0 ? {} : { sources }),
    },
    body,
    embedder: keptVector?.embedder ?? (item.embedding ? context.embedder : ""),
    vector: item.embedding ? unitVector(item.embedding) : (keptVector?.vector ?? null),
  };
}

/** Returns the new value of an extension field: an absent field is kept, null clears it. */
function kept<T>(given: T | null | undefined, former: T | undefined): T | undefined {
  if (given === undefined) return former;
  return given === null ? undefined : given;
}

/**
 * Merges the body. `same` is the former body if the content is unchanged. Only then a given text or embedding
 * is kept.
 */
function mergeBody(item: StoreItem, same: RowBody | undefined, formerContext: string | undefined): RowBody {
  const text = kept(item.text, same?.text);
  const context = kept(item.context, formerContext);
  const keepsVector = same?.embedding_given && text === same.text;
  const given = item.embedding === undefined ? keepsVector : item.embedding !== null;
  return {
    content: item.content,
    ttl: item.ttl,
    ...(text === undefined ? {} : { text }),
    ...(context === undefined ? {} : { context }),
    ...(given ? { embedding_given: true } : {}),
  };
}

function isUnchanged(item: StoreItem, draft: Draft, previous: Previous): boolean {
  if (item.ttl !== null || item.expires_at !== null || previous.expiresAt !== 0) return false;
  if (item.embedding && !equalVectors(draft.vector, previous.vector)) return false;
  return (
    draft.occurredAt === previous.occurredAt &&
    draft.importance === previous.importance &&
    draft.group === previous.group &&
    equal(callerFields(draft), callerFields(previous))
  );
}

/** Returns the fields that the caller chose, which do not include the author. */
function callerFields({ facets, body }: { facets: RowFacets; body: RowBody }): Json {
  const { tags, source, metadata, sources } = facets;
  return { ...body, tags, source, metadata: metadata ?? null, sources: sources ?? null } as object as Json;
}

function equal(a: Json, b: Json): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

function equalVectors(a: Float32Array | null, b: Float32Array | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((component, index) => component === b[index]);
}

/** Search data of the drafts of a batch by position. Plans without a draft have none. */
export type PlanIndex = ReadonlyMap<number, { readonly draft: Draft; readonly index: DocumentIndex }>;

export const NO_INDEX: PlanIndex = new Map();

/**
 * Indexes the drafts of a batch. Drafts with the same text as in `former` reuse its data. So a store that is
 * replanned because of concurrent writes neither waits nor computes twice, and makes progress.
 */
export async function indexPlans(
  indexer: DocumentIndexer,
  plans: readonly Plan[],
  { scope, waitMs }: { readonly scope: string; readonly waitMs: number },
  former: PlanIndex,
): Promise<PlanIndex> {
  const indexes = new Map<number, { draft: Draft; index: DocumentIndex }>();
  const open: { readonly position: number; readonly draft: Draft }[] = [];
  for (const [position, plan] of plans.entries()) {
    if (!("draft" in plan)) continue;
    const known = former.get(position);
    if (known !== undefined && isSameDocument(known.draft, plan.draft)) indexes.set(position, known);
    else open.push({ position, draft: plan.draft });
  }
  if (open.length === 0) return indexes;
  const found = await indexer.index(
    open.map(({ draft }) => draft),
    scope,
    waitMs,
  );
  for (const [i, { position, draft }] of open.entries()) indexes.set(position, { draft, index: found[i]! });
  return indexes;
}

function isSameDocument(a: Draft, b: Draft): boolean {
  return (
    a.vector === b.vector &&
    a.occurredAt === b.occurredAt &&
    indexedText(a.body) === indexedText(b.body) &&
    indexedContext(a.body, a.facets) === indexedContext(b.body, b.facets)
  );
}
