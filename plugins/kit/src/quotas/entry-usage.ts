import type { Scope } from "@membus/protocol";
import type { RowFacets } from "../row.js";
import type { EntryUsage } from "./tenant-usage.js";

/** Data of an entry for the quota. */
export interface EntrySize {
  /** JSON. */
  readonly facets: string;
  readonly group: string;
  readonly bodyBytes: number;
  readonly expiresAt: number;
}

/** Returns the usage of an entry: its JSON bytes and the agent that wrote it last. */
export function entryUsage(
  scope: Pick<Scope, "agent">,
  { facets, group, bodyBytes, expiresAt }: EntrySize,
): EntryUsage {
  const agent = scope.agent ?? (JSON.parse(facets) as RowFacets).author;
  return { agent, bytes: bodyBytes + Buffer.byteLength(facets) + Buffer.byteLength(group), expiresAt };
}
