import type { AgentMemory } from "@membus/agent-client";
import type { Bus, Clock } from "@membus/protocol";
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
export function viewRoutes(_: ViewDependencies): ViewRoutes {
  return { ...MEMORY_ROUTES };
}
