import type { Scope } from "@membus/protocol";
import type { RowFacets } from "../row.js";
import type { Holding } from "./tenant-holdings.js";

/** What is known of an entry, wherever it is. */
export interface HeldEntrySize {
  /** JSON. */
  readonly facets: string;
  readonly bodyBytes: number;
  readonly expiresAt: number;
}

/** What an entry of a scope counts as: its JSON, and for whoever wrote it last. */
export function holdingOf(
  scope: Pick<Scope, "agent">,
  { facets, bodyBytes, expiresAt }: HeldEntrySize,
): Holding {
  const agent = scope.agent ?? (JSON.parse(facets) as RowFacets).author;
  return { agent, bytes: bodyBytes + Buffer.byteLength(facets), expiresAt };
}
