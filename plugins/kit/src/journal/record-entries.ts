import { type MemoryTier, parseScopeId } from "@membus/protocol";
import type { Row, RowBody, RowFacets } from "../row.js";
import { decodeRecord } from "./record.js";

/** An entry in a log record: the fields of `memory/store`, and its owner. */
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

/** Effect of one record. */
export interface RecordEntries {
  /** Time of acceptance. Unix seconds. */
  readonly at: number;
  readonly entries: readonly RecordedEntry[];
  /** Number of removed versions: replaced, forgotten or expired. */
  readonly removedCount: number;
}

/** Decodes a record. @throws {Error} for an invalid payload. */
export function recordEntries(payload: Uint8Array): RecordEntries {
  const { at, scope, rows, removed, scopeRemovals = [] } = decodeRecord(payload);
  const removedCount = scopeRemovals.reduce((sum, part) => sum + part.removed.length, removed.length);
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
