import type { AgentMemory } from "@membus/agent-client";
import type { Bus, Clock } from "@membus/protocol";
import { CONVERSATION_ROUTES } from "./conversations.js";
import { GRAPH_ROUTES } from "./graph.js";
import { HostsHealth } from "./health.js";
import { LIVE_ROUTES } from "./live.js";
import { MEMORY_ROUTES } from "./memories.js";
import type { Query } from "./query-fields.js";

/** Asks the memory of the agent that is looked at. */
export type ViewRoute = (memory: AgentMemory, query: Query) => Promise<unknown>;

export type ViewRoutes = Readonly<Record<string, ViewRoute>>;

/** For what is about hosts, and no agent's. */
export interface ViewDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  /** Of the hosts. */
  readonly prefix: string;
}

/** What the views read, by what stands behind `/inspector/`. */
export const VIEW_ROUTES: ViewRoutes = {
  ...LIVE_ROUTES,
  ...MEMORY_ROUTES,
  ...CONVERSATION_ROUTES,
  ...GRAPH_ROUTES,
};

/** For who may see all of a tenant: what is about all of its agents. */
export type TenantRoutes = Readonly<Record<string, (tenant: string) => Promise<unknown>>>;

export function tenantRoutes(dependencies: ViewDependencies): TenantRoutes {
  const hosts = new HostsHealth(dependencies);
  return { health: (tenant) => hosts.read(tenant) };
}
