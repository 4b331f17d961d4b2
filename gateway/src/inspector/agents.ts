import type { AgentMemory } from "@membus/agent-client";
import { agentNames } from "./agent-names.js";
import { BoundedReads } from "./bounded-reads.js";
import { entriesIn } from "./count-entries.js";
import type { AgentBrief, AgentsReply } from "./inspector-api.js";
import type { KnownAgents } from "./known-agents.js";
import { NO_AGENT } from "./no-agent.js";
import type { TenantRoute, ViewDependencies } from "./view-route.js";

/** Number of agents with private entries that are counted. */
const COUNTED_MAX = 50;
/** Tiers with private entries. */
export const PRIVATE_TIERS = ["episodic", "working"] as const;

/** Lists the agents of a tenant that have entries. */
export function agentsRoute({ clock, clients }: ViewDependencies, known: KnownAgents): TenantRoute {
  return async (tenant): Promise<AgentsReply> => {
    const reads = new BoundedReads(clock);
    const memory = await clients.of({ tenant, agent: NO_AGENT });
    const { names, authors, inSessions, isComplete } = await agentNames(
      memory,
      reads,
      await known.of(tenant),
    );
    const agents = await Promise.all(
      names.map(async (name, n): Promise<AgentBrief> => {
        const shared = authors === null ? null : (authors.get(name) ?? 0);
        const own = n < COUNTED_MAX ? await ownEntries(reads, memory.forAgent(name)) : null;
        return { name, shared, own: own?.entries ?? null, newest: own?.newest ?? null };
      }),
    );
    const hasEntries = ({ name, shared, own }: AgentBrief) =>
      shared !== 0 || own !== 0 || inSessions.has(name);
    return { agents: agents.filter(hasEntries), complete: isComplete };
  };
}

/** Returns undefined if a tier does not answer. */
async function ownEntries(reads: BoundedReads, memory: AgentMemory) {
  const counts = await Promise.all(
    PRIVATE_TIERS.map((tier) => reads.read(() => entriesIn(memory, { tier }))),
  );
  const found = counts.filter((count) => count !== null);
  if (found.length < counts.length) return undefined;
  return {
    entries: found.reduce((sum, { entries }) => sum + entries, 0),
    newest: found.reduce<number | null>((latest, { newest }) => later(latest, newest), null),
  };
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
