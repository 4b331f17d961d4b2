import { canonicalJson, type Json, type Scope } from "@membus/protocol";
import type { StoreItem } from "@membus/protocol/plugin";
import type { Row } from "./row.js";

export interface MergeContext {
  readonly scope: Scope;
  readonly agent: string;
  readonly acceptedAt: number;
  readonly revision: number;
}

/** Returns the row after a store of `item` over `previous` (clauses UPD-1 to UPD-5). */
export function mergeRow(item: StoreItem, previous: Row | undefined, context: MergeContext): Row {
  const { scope, agent, acceptedAt, revision } = context;
  const created = previous?.created ?? acceptedAt;
  const sameContent = previous !== undefined && sameJson(previous.content, item.content);
  const importance = previous ? kept(item.importance, previous.importance) : (item.importance ?? item.score);
  const givenVector = kept(item.embedding, sameContent ? previous.givenVector : undefined);
  return {
    scope,
    key: item.key,
    key_hash: item.key_hash,
    content: item.content,
    tags: item.tags ?? [],
    source: item.source ?? agent,
    author: agent,
    ttl: item.ttl,
    expires_at: item.expires_at ?? undefined,
    revision,
    seq: previous?.seq ?? revision,
    created,
    updated: acceptedAt,
    accessed: acceptedAt,
    occurred_at: kept(item.occurred_at, previous?.occurred_at) ?? created,
    importance: importance ?? 1,
    metadata: kept(item.metadata, previous?.metadata),
    text: kept(item.text, sameContent ? previous.text : undefined),
    context: kept(item.context, previous?.context),
    group: kept(item.group, previous?.group),
    givenVector,
  };
}

/** Keeps the former value if the extension field is absent, and clears it for null. */
function kept<T>(given: T | null | undefined, former: T | undefined): T | undefined {
  if (given === undefined) return former;
  return given === null ? undefined : given;
}

/** Returns whether a store changes nothing (clause UPD-6). */
export function isUnchanged(item: StoreItem, merged: Row, previous: Row): boolean {
  if (item.expires_at !== null || previous.expires_at !== undefined) return false;
  return sameJson(callerFields(merged), callerFields(previous));
}

function callerFields(row: Row): Json {
  const { content, tags, source, occurred_at, importance, metadata, text, context, group, sources } = row;
  const vector = row.givenVector && Array.from(row.givenVector);
  const own = { content, tags, source, occurred_at, importance, metadata, text, context, group };
  const fields = { ...own, sources, vector };
  return JSON.parse(JSON.stringify(fields)) as Json;
}

function sameJson(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
