import type { RowPage, RowPageRequest, WrittenRows } from "@membus/plugin-kit";
import type { MemoryTier, Scope } from "@membus/protocol";

/** Tiers that outlive a host. */
export const DURABLE_TIERS = ["episodic", "semantic"] as const satisfies readonly MemoryTier[];
export type DurableTier = (typeof DURABLE_TIERS)[number];

/** A place that entries are copied from or into: a data folder or a cluster. */
export interface EntryStore {
  /** Whether agents use it during a copy. */
  readonly isServed: boolean;
  /** Returns the scopes that may have entries. */
  scopes(tier: DurableTier): AsyncIterable<Scope>;
  /** Reads entries of a scope. @param after `next` of the page before, 0 for the first one. */
  read(tier: DurableTier, scope: Scope, after: number): Promise<RowPage>;
  /** Writes entries of a scope. An entry with a later revision is kept. Errors as in `KitPlugin.writeRows`. */
  write(tier: DurableTier, scope: Scope, rows: RowPage["rows"]): Promise<WrittenRows>;
  /** Returns how many of the entries it has neither in the same revision nor in a later one. */
  countMissing(tier: DurableTier, scope: Scope, rows: RowPage["rows"]): Promise<number>;
}

const PAGE_COUNT_MAX = 256;
const PAGE_BYTES_MAX = 256 * 1_024;
/** A page is much smaller than a message, because the size of its rows is estimated. */
const PAGES_PER_MESSAGE = 4;

/** Returns the limits of one page, so that it fits into a message. */
export function pageLimits(maxPayloadBytes: number): Pick<RowPageRequest, "countMax" | "bytesMax"> {
  return {
    countMax: PAGE_COUNT_MAX,
    bytesMax: Math.min(PAGE_BYTES_MAX, maxPayloadBytes / PAGES_PER_MESSAGE),
  };
}
