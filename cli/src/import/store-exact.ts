import { isDeepStrictEqual } from "node:util";
import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { keyHash, LIMITS, type MemoryEntry, type MemoryTier, systemClock } from "@membus/protocol";
import type { ImportItem } from "./import-item.js";

/** Items by what an import does with them. */
export interface ExpiringItems {
  /** Their time has come. They are not stored. */
  readonly expired: readonly ImportItem[];
  /** The host has them already, with the same expiry. */
  readonly existing: readonly ImportItem[];
  readonly missing: readonly ImportItem[];
}

/**
 * Sorts entries that expire. A host counts each store of such an entry as an update, so only a comparison
 * shows that nothing would change.
 */
export async function sortExpiring(
  memory: AgentMemory,
  items: readonly ImportItem[],
): Promise<ExpiringItems> {
  const now = systemClock.now();
  const isExpired = ({ entry }: ImportItem) => (entry as EntryInput).expires_at! <= now;
  const living = items.filter((item) => !isExpired(item));
  const stored = await storedEntries(memory, living);
  const isStored = ({ entry }: ImportItem) => isSame(entry as EntryInput, stored);
  return {
    expired: items.filter(isExpired),
    existing: living.filter(isStored),
    missing: living.filter((item) => !isStored(item)),
  };
}

/** Returns whether an item has an end, so that `sortExpiring` handles it. */
export function isExpiring({ isExact, entry }: ImportItem): boolean {
  return isExact === true && (entry as EntryInput).expires_at != null;
}

async function storedEntries(memory: AgentMemory, items: readonly ImportItem[]) {
  const found = new Map<string, MemoryEntry>();
  const tierOf = ({ entry }: ImportItem) => (entry as { tier: MemoryTier }).tier;
  for (const tier of new Set(items.map(tierOf))) {
    const group = items.filter((item) => tierOf(item) === tier);
    const keys = group.map(({ entry }) => ({ $hash: keyHash((entry as EntryInput).key) }));
    const request = { tier, keys, include: ["context" as const], limit: LIMITS.retrieveLimit };
    for await (const entry of memory.entries(request)) found.set(`${tier} ${entry.key_hash}`, entry);
  }
  return found;
}

const COMPARED = [
  ...(["content", "tags", "source", "importance", "expires_at", "occurred_at"] as const),
  ...(["metadata", "text", "context", "group", "sources"] as const),
];

/** Returns whether a store would change nothing. Absent fields keep their values. */
function isSame(entry: EntryInput, stored: ReadonlyMap<string, MemoryEntry>): boolean {
  const other = stored.get(`${entry.tier} ${keyHash(entry.key)}`);
  if (other === undefined) return false;
  return COMPARED.every(
    (name) => entry[name] === undefined || isDeepStrictEqual(entry[name] ?? null, other[name] ?? null),
  );
}
