import { agentsRoute } from "./agents.js";
import { blockAndFileRoutes } from "./blocks-and-files.js";
import { BUDGET_ROUTES } from "./budgets.js";
import { CONVERSATION_ROUTES } from "./conversations.js";
import { GRAPH_ROUTES } from "./graph.js";
import { HostsHealth } from "./health.js";
import type { Health } from "./inspector-api.js";
import type { KnownAgents } from "./known-agents.js";
import { LIVE_ROUTES } from "./live.js";
import { MEMORY_ROUTES } from "./memories.js";
import { overviewRoute } from "./overview.js";
import { USER_ROUTES } from "./user.js";
import type { TenantRoutes, ViewDependencies, ViewRoutes } from "./view-route.js";

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
  const routes = { ...VIEW_ROUTES, ...blockAndFileRoutes(dependencies) };
  return { ...routes, overview: overviewRoute(dependencies, known) };
}

export function tenantRoutes(dependencies: ViewDependencies, known: KnownAgents): TenantRoutes {
  const hosts = new HostsHealth(dependencies);
  const { queuedWrites = async () => undefined } = dependencies;
  const health = async (tenant: string): Promise<Health> => {
    // A folder that cannot be read must not hide the health of the hosts.
    const [read, queued] = await Promise.all([hosts.read(tenant), queuedWrites().catch(() => undefined)]);
    return { ...read, ...(queued !== undefined && { queued_writes: queued }) };
  };
  return { health, agents: agentsRoute(dependencies, known) };
}
