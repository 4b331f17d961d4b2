import type { AgentMemory } from "@membus/agent-client";
import { type KeyHashReference, LIMITS, type MemoryEntry, type MemoryTier } from "@membus/protocol";
import { briefOf } from "./entry-brief.js";
import { findAnywhere } from "./find-anywhere.js";
import type { ForgetMatch } from "./inspector-api.js";

const VICTIMS_MAX = 200;

export interface ForgetCriteria {
  readonly tier: MemoryTier;
  readonly namespace: string;
  readonly keys: readonly KeyHashReference[];
  readonly cascade?: boolean;
}

/**
 * Lists the entries that a forget would remove, as far as they can be listed. The host decides, and reports
 * their number separately. Like a cascade, an entry is removed when none of its sources is left (clause
 * CASC-2).
 */
export async function listForgetMatches(
  memory: AgentMemory,
  { cascade = false, ...criteria }: ForgetCriteria,
) {
  const named = await memory.retrieve({ ...criteria, keys: [...criteria.keys], limit: VICTIMS_MAX });
  const victims = new Map<string, ForgetMatch>();
  const deleted = new Set<string>();
  let latest: readonly MemoryEntry[] = named.entries;
  for (let level = 0; latest.length > 0 && level <= LIMITS.cascadeLevels; level++) {
    for (const entry of latest) {
      if (victims.size < VICTIMS_MAX) victims.set(placeOf(entry), { ...briefOf(entry), level });
      deleted.add(entry.key_hash);
    }
    latest = cascade ? await derivedFrom(memory, criteria.tier, latest, { deleted, victims }) : [];
  }
  return { victims: [...victims.values()] };
}

async function derivedFrom(
  memory: AgentMemory,
  tier: MemoryTier,
  latest: readonly MemoryEntry[],
  {
    deleted,
    victims,
  }: { readonly deleted: ReadonlySet<string>; readonly victims: ReadonlyMap<string, ForgetMatch> },
): Promise<MemoryEntry[]> {
  const where = { field: "sources", op: "in", value: latest.map(({ key_hash }) => key_hash) } as const;
  const { entries } = await findAnywhere(memory, { where, tier }, VICTIMS_MAX);
  // Entries of other agents in the shared tier stay (clause CASC-3).
  const own = tier === "semantic" ? entries.filter(({ author }) => author === memory.agent) : entries;
  const fresh = own.filter((entry) => !victims.has(placeOf(entry)));
  const left = await leftOf(memory, tier, fresh, deleted);
  return fresh.filter(({ sources = [] }) => !sources.some((source) => left.has(source)));
}

/** Returns the sources of some entries that stay. */
async function leftOf(
  memory: AgentMemory,
  tier: MemoryTier,
  entries: readonly MemoryEntry[],
  deleted: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const others = new Set(
    entries.flatMap(({ sources = [] }) => sources).filter((source) => !deleted.has(source)),
  );
  const keys = [...others].slice(0, LIMITS.criteriaKeys).map(($hash) => ({ $hash }));
  if (keys.length === 0) return new Set();
  const found = await findAnywhere(memory, { keys, tier }, LIMITS.criteriaKeys);
  return new Set(found.entries.map(({ key_hash }) => key_hash));
}

function placeOf({ tier, namespace, key_hash }: MemoryEntry): string {
  return `${tier} ${namespace} ${key_hash}`;
}
