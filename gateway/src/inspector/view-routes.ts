import type { AgentMemory } from "@membus/agent-client";
import type { Clock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import type { TenantClients } from "../tenant-clients.js";
import { agentsRoute } from "./agents.js";
import { BUDGET_ROUTES } from "./budgets.js";
import { CONVERSATION_ROUTES } from "./conversations.js";
import { GRAPH_ROUTES } from "./graph.js";
import { HostsHealth } from "./health.js";
import type { KnownAgents } from "./known-agents.js";
import { LIVE_ROUTES } from "./live.js";
import { MEMORY_ROUTES } from "./memories.js";
import { overviewRoute } from "./overview.js";
import type { Query } from "./query-fields.js";
import { USER_ROUTES } from "./user.js";

/** Reads the memory of the inspected agent. */
export type ViewRoute = (memory: AgentMemory, query: Query) => Promise<unknown>;

export type ViewRoutes = Readonly<Record<string, ViewRoute>>;

export interface ViewDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly clients: TenantClients;
  /** Subject prefix of the hosts. */
  readonly prefix: string;
}

const VIEW_ROUTES: ViewRoutes = {
  ...LIVE_ROUTES,
  ...MEMORY_ROUTES,
  ...CONVERSATION_ROUTES,
  ...GRAPH_ROUTES,
  ...BUDGET_ROUTES,
  ...USER_ROUTES,
};

/** Returns the routes of the views, by their name below `/inspector/`. */
export function viewRoutes(dependencies: ViewDependencies, known: KnownAgents): ViewRoutes {
  return { ...VIEW_ROUTES, overview: overviewRoute(dependencies, known) };
}

/** Reads about all agents of a tenant. */
export type TenantRoute = (tenant: string) => Promise<unknown>;
export type TenantRoutes = Readonly<Record<string, TenantRoute>>;

export function tenantRoutes(dependencies: ViewDependencies, known: KnownAgents): TenantRoutes {
  const hosts = new HostsHealth(dependencies);
  return { health: (tenant) => hosts.read(tenant), agents: agentsRoute(dependencies, known) };
}
