import type { AgentMemory } from "@membus/agent-client";
import type { Clock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import type { TenantClients } from "../tenant-clients.js";
import type { Query } from "./query-fields.js";

/** Reads the memory of the inspected agent. */
export type ViewRoute = (memory: AgentMemory, query: Query) => Promise<unknown>;

export type ViewRoutes = Readonly<Record<string, ViewRoute>>;

/** Reads about all agents of a tenant. */
export type TenantRoute = (tenant: string) => Promise<unknown>;
export type TenantRoutes = Readonly<Record<string, TenantRoute>>;

export interface ViewDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly clients: TenantClients;
  /** Returns the number of writes on the machine of the gateway that wait for the host. */
  readonly queuedWrites?: (() => Promise<number>) | undefined;
  /** Subject prefix of the hosts. */
  readonly prefix: string;
}
