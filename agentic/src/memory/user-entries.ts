import type { AgentMemory } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import { lowerCaseNodes, servedTiers, userPlaces } from "./user-data.js";

/**
 * Returns at most `limit` entries that `forgetUser` deletes, without the entries elsewhere that are derived from
 * them.
 * @param names other names of the user, as for `forgetUser`.
 */
export async function listUserEntries(
  memory: AgentMemory,
  user: string,
  { names, limit }: { readonly names: readonly string[]; readonly limit: number },
): Promise<MemoryEntry[]> {
  const given = { user, names, conversations: [] };
  const all = { ...given, nodes: await lowerCaseNodes(memory, given) };
  const found = new Map<string, MemoryEntry>();
  for (const tier of await servedTiers(memory)) {
    for (const { namespace, criteria } of await userPlaces(memory, tier, all)) {
      const where = criteria.where == null ? {} : { where: criteria.where };
      for await (const entry of memory.entries({ tier, namespace, ...where })) {
        if (entry.metadata?.kind === "forgotten") continue;
        if (found.size >= limit) return [...found.values()];
        found.set(`${tier} ${namespace} ${entry.key_hash}`, entry);
      }
    }
  }
  return [...found.values()];
}
