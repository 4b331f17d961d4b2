import { type AgentMemory, tenantAgents } from "@membus/agent-client";
import { isMemoryError, LIMITS } from "@membus/protocol";
import type { BoundedReads } from "./bounded-reads.js";

/** Number of agents of a tenant that are listed. */
const AGENTS_MAX = 10_000;

/** The agents of a tenant with entries, as far as they are known. */
export interface AgentNames {
  /** Each agent once: authors in the shared tier, then agents that were seen lately, then the others. */
  readonly names: readonly string[];
  /** Number of shared entries by author. Null: unknown. */
  readonly authors: ReadonlyMap<string, number> | null;
  /** Agents with entries of a session, which no other request of the inspector counts. */
  readonly inSessions: ReadonlySet<string>;
  /** Whether no agent is missing. */
  readonly isComplete: boolean;
}

interface PrivateAgents {
  readonly names: readonly string[];
  /** False if a tier does not list its agents. */
  readonly isComplete: boolean;
  readonly inSessions: ReadonlySet<string>;
}

/**
 * Lists the agents of a tenant. If the host does not list agents with private memory, `seen` has the ones that are
 * known otherwise.
 */
export async function agentNames(
  memory: AgentMemory,
  reads: BoundedReads,
  seen: readonly string[],
): Promise<AgentNames> {
  const [authors, own] = await Promise.all([
    reads.read(() => authorsOf(memory)),
    reads.read(() => privateAgents(memory)),
  ]);
  const listed = new Set(own?.names);
  const latest = own?.isComplete ? seen.filter((name) => listed.has(name)) : seen;
  const names = [...new Set([...(authors?.keys() ?? []), ...latest, ...listed])];
  return {
    names: names.slice(0, AGENTS_MAX),
    authors,
    inSessions: own?.inSessions ?? new Set(),
    isComplete: authors !== null && own?.isComplete === true && names.length < AGENTS_MAX,
  };
}

/** Returns the number of entries of each author in the shared tier. */
async function authorsOf(memory: AgentMemory): Promise<ReadonlyMap<string, number>> {
  const request = { field: "author", tier: "semantic", namespace: "**", order: "count" } as const;
  const counts = new Map<string, number>();
  try {
    const items = memory.items({ ...request, limit: AGENTS_MAX }, { pageSize: LIMITS.listLimit });
    for await (const { value, count } of items) counts.set(String(value), count);
    return counts;
  } catch (error) {
    // A host without a shared tier has no entries in it.
    if (isMemoryError(error) && error.code === "unsupported") return new Map();
    throw error;
  }
}

/** @throws {MemoryError} if the host cannot list them, or if the server does not allow it to this gateway. */
async function privateAgents(memory: AgentMemory): Promise<PrivateAgents> {
  const { agents, degraded } = await tenantAgents(memory, AGENTS_MAX);
  const inSessions = agents.filter(({ tiers }) => tiers.includes("working"));
  return {
    names: agents.map(({ name }) => name),
    isComplete: degraded.length === 0,
    inSessions: new Set(inSessions.map(({ name }) => name)),
  };
}
