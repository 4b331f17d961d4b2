import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import type { Bus, Clock, Logger } from "@membus/protocol";
import type { Identity } from "./tokens.js";

export interface TenantClientsDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The memories of all agents, on one connection. */
export class TenantClients {
  readonly #dependencies: TenantClientsDependencies;
  readonly #options: { readonly prefix: string; readonly timeoutMs: number };
  readonly #clients = new Map<string, Promise<MemoryClient>>();

  /** @param options `timeoutMs` is how long a request is tried. */
  constructor(
    dependencies: TenantClientsDependencies,
    options: { readonly prefix: string; readonly timeoutMs: number },
  ) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  async of({ tenant, agent }: Identity): Promise<AgentMemory> {
    return (await this.#clientOf(tenant)).forAgent(agent);
  }

  async close(): Promise<void> {
    for (const client of this.#clients.values()) await (await client).close();
  }

  #clientOf(tenant: string): Promise<MemoryClient> {
    const known = this.#clients.get(tenant);
    if (known !== undefined) return known;
    const { bus, clock, logger } = this.#dependencies;
    const { prefix, timeoutMs } = this.#options;
    const limits = { timeoutMs, retryTimeoutMs: timeoutMs };
    const client = MemoryClient.connect(
      { bus, prefix, tenant, agent: "gateway", ...limits },
      { clock, logger },
    );
    this.#clients.set(tenant, client);
    return client;
  }
}
