import type { AgentMemory } from "@membus/agent-client";
import type { Clock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { BUDGET_ROUTES } from "./budgets.js";
import { CONVERSATION_ROUTES } from "./conversations.js";
import { GRAPH_ROUTES } from "./graph.js";
import { HostsHealth } from "./health.js";
import { LIVE_ROUTES } from "./live.js";
import { MEMORY_ROUTES } from "./memories.js";
import type { Query } from "./query-fields.js";

/** Reads the memory of the inspected agent. */
export type ViewRoute = (memory: AgentMemory, query: Query) => Promise<unknown>;

export type ViewRoutes = Readonly<Record<string, ViewRoute>>;

/** Dependencies of routes about hosts. */
export interface ViewDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  /** Subject prefix of the hosts. */
  readonly prefix: string;
}

/** Routes of the views, by their name below `/inspector/`. */
export const VIEW_ROUTES: ViewRoutes = {
  ...LIVE_ROUTES,
  ...MEMORY_ROUTES,
  ...CONVERSATION_ROUTES,
  ...GRAPH_ROUTES,
  ...BUDGET_ROUTES,
};

/** Routes about all agents of a tenant. */
export type TenantRoutes = Readonly<Record<string, (tenant: string) => Promise<unknown>>>;

export function tenantRoutes(dependencies: ViewDependencies): TenantRoutes {
  const hosts = new HostsHealth(dependencies);
  return { health: (tenant) => hosts.read(tenant) };
}
