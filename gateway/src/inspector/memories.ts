import type { AgentMemory, ListResult } from "@membus/agent-client";
import { type Query, tierField } from "./query-fields.js";

const NAMESPACES_MAX = 1_000;
const AGENTS_MAX = 200;

/** Every namespace in which the agent has anything, by name. */
function listNamespaces(memory: AgentMemory, query: Query): Promise<ListResult> {
  return memory.list({ namespace: "**", tier: tierField(query), limit: NAMESPACES_MAX });
}

/** Of the tenant's agents those that have written into the shared tier: nobody is asked what others there are. */
async function listAgents(memory: AgentMemory): Promise<{ readonly agents: readonly string[] }> {
  const request = {
    field: "author",
    tier: "semantic",
    namespace: "**",
    order: "count",
    limit: AGENTS_MAX,
  } as const;
  const { items } = await memory.list(request);
  return { agents: items.map(({ value }) => String(value)) };
}

/** What the view *memories* and the chooser read. */
export const MEMORY_ROUTES = { namespaces: listNamespaces, agents: listAgents };
