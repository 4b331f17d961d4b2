import { type DegradedTier, LIMITS, type ListedAgent } from "@membus/protocol";
import type { AgentMemory } from "./agent-memory.js";
import { type AgentsResult, followPages } from "./pages.js";

/** Agents of a tenant with entries in the working or episodic tier. */
export interface TenantAgents {
  /** By name. */
  readonly agents: readonly ListedAgent[];
  /** Tiers without a result, or with a part of it. */
  readonly degraded: readonly DegradedTier[];
}

/**
 * Lists the agents of the memory's tenant, page after page.
 * @param max number of agents at most.
 * @throws {MemoryError} as `AgentMemory.agents`.
 */
export async function tenantAgents(memory: AgentMemory, max: number): Promise<TenantAgents> {
  const agents: ListedAgent[] = [];
  const degraded = new Map<string, DegradedTier>();
  const source = {
    fetch: (limit: number, cursor: string | null | undefined) => memory.agents({ limit, cursor }),
    sizeOf: (page: AgentsResult) => page.agents.length,
  };
  for await (const page of followPages(source, {
    limit: max,
    pageSize: LIMITS.listLimit,
    cursor: undefined,
  })) {
    agents.push(...page.agents);
    for (const failure of page.degraded ?? []) degraded.set(failure.tier, failure);
  }
  return { agents, degraded: [...degraded.values()] };
}
