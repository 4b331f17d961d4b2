import { deepStrictEqual } from "node:assert/strict";
import type { AgentMemory } from "@membus/agent-client";
import type { MemoryEntry, MemoryTier } from "@membus/protocol";

export async function allEntries(memory: AgentMemory, tier: MemoryTier): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  for await (const entry of memory.entries({ tier })) entries.push(entry);
  return entries;
}

/** Lists all entries and requires unique keys. */
export async function listEntries(memory: AgentMemory, tier: MemoryTier): Promise<MemoryEntry[]> {
  const entries = await allEntries(memory, tier);
  deepStrictEqual(repeatedKeys(entries), []);
  return entries;
}

export function repeatedKeys(entries: readonly MemoryEntry[]): string[] {
  const keys = entries.map(({ key }) => JSON.stringify(key));
  return keys.filter((key, at) => keys.indexOf(key) !== at);
}
