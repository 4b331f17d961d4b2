import type { RowPage, WrittenRows } from "@membus/plugin-kit";
import type { MemoryTier, Scope } from "@membus/protocol";

/** Tiers that outlive a host. */
export const DURABLE_TIERS = ["episodic", "semantic"] as const satisfies readonly MemoryTier[];
export type DurableTier = (typeof DURABLE_TIERS)[number];

/** A place that entries are copied from or into: a data folder or a cluster. */
export interface EntryStore {
  /** Returns the scopes that may have entries. */
  scopes(tier: DurableTier): AsyncIterable<Scope>;
  /** Reads entries of a scope. @param after `next` of the page before, 0 for the first one. */
  read(tier: DurableTier, scope: Scope, after: number): Promise<RowPage>;
  /** Writes entries of a scope. An entry with a later revision is kept. Errors as in `KitPlugin.writeRows`. */
  write(tier: DurableTier, scope: Scope, rows: RowPage["rows"]): Promise<WrittenRows>;
}

/** Limits of one page, so that it fits into a message. */
export const PAGE = Object.freeze({ countMax: 256, bytesMax: 256 * 1_024 });
