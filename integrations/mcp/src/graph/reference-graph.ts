import type { AgentMemory } from "@membus/agent-client";
import { EntityGraph } from "@membus/agentic";
import type { Clock, MemoryTier } from "@membus/protocol";

const ATTEMPTS_MAX = 100;
/** Entities, and also relations, of one answer. More of them are always longer than the limit `graphCharsMax`. */
const ITEMS_MAX = 1_000_000;

/** Returns the graph of the namespace of `memory`, with texts stored exactly as the reference server stores them. */
export function referenceGraph(memory: AgentMemory, tier: MemoryTier, clock?: Clock): EntityGraph {
  const { namespace } = memory;
  const options = {
    namespace,
    tier,
    spelling: "exact",
    attemptsMax: ATTEMPTS_MAX,
    itemCountMax: ITEMS_MAX,
  } as const;
  return new EntityGraph(memory, options, clock);
}
