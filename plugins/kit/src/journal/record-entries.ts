import { type MemoryTier, parseScopeId } from "@membus/protocol";
import type { Row, RowBody, RowFacets } from "../row.js";
import { decodeRecord } from "./record.js";

/** An entry as a record of the log holds it: what `memory/store` would take, and whose it is. */
export interface RecordedEntry extends RowFacets, Pick<RowBody, "content" | "text" | "context"> {
  readonly tier: MemoryTier;
  readonly tenant: string;
  /** "" in the semantic tier. */
  readonly agent: string;
  readonly namespace: string;
  readonly importance: number;
  readonly group?: string;
  readonly revision: number;
  /** Unix seconds. */
  readonly updated_at: number;
}

/** What one record did. */
export interface RecordEntries {
  /** Unix seconds of acceptance. */
  readonly at: number;
  readonly entries: readonly RecordedEntry[];
  /** Versions that it took away: replaced, forgotten or expired. */
  readonly removedCount: number;
}

/** @throws {Error} for a payload that is no record. */
export function recordEntries(payload: Uint8Array): RecordEntries {
  const { at, scope, rows, removed, elsewhere = [] } = decodeRecord(payload);
  const removedCount = elsewhere.reduce((sum, part) => sum + part.removed.length, removed.length);
  return { at, entries: rows.map((row) => entryOf(row, scope)), removedCount };
}

function entryOf(
  { facets, body, group, importance, revision, updated }: Row,
  scopeId: string,
): RecordedEntry {
  const { tier, tenant, agent = "", namespace } = parseScopeId(scopeId);
  const { content, text, context } = JSON.parse(body) as RowBody;
  return {
    ...(JSON.parse(facets) as RowFacets),
    ...{ tier, tenant, agent, namespace, content, importance, revision, updated_at: updated },
    ...(text === undefined ? {} : { text }),
    ...(context === undefined ? {} : { context }),
    ...(group === "" ? {} : { group }),
  };
}
