import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import type { Clock } from "@membus/protocol";
import type { Bus, Logger } from "@membus/protocol/plugin";
import type { Identity } from "./tokens.js";

export interface TenantClientsDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface TenantClientsOptions {
  readonly prefix: string;
  /** Time limit of a request, retries included. Milliseconds. */
  readonly timeoutMs: number;
  /** Number of clients. One more closes the least recently used client and its open requests. */
  readonly tenantsMax: number;
}

/** The memories of all agents over one connection. */
export class TenantClients {
  readonly #dependencies: TenantClientsDependencies;
  readonly #options: TenantClientsOptions;
  readonly #clients = new Map<string, Promise<MemoryClient>>();

  constructor(dependencies: TenantClientsDependencies, options: TenantClientsOptions) {
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
    const client = this.#clients.get(tenant) ?? this.#connect(tenant);
    this.#clients.delete(tenant);
    this.#clients.set(tenant, client);
    if (this.#clients.size > this.#options.tenantsMax) this.#closeOldest();
    return client;
  }

  #connect(tenant: string): Promise<MemoryClient> {
    const { bus, clock, logger } = this.#dependencies;
    const { prefix, timeoutMs } = this.#options;
    const limits = { timeoutMs, retryTimeoutMs: timeoutMs };
    return MemoryClient.connect({ bus, prefix, tenant, agent: "gateway", ...limits }, { clock, logger });
  }

  #closeOldest(): void {
    const [tenant, client] = this.#clients.entries().next().value!;
    this.#clients.delete(tenant);
    void client.then((connected) => connected.close());
  }
}
