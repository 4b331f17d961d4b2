import { type ClientOptions, MemoryClient } from "@membus/agent-client";
import type { ClusterStage } from "./cluster-stage.js";

/** The owner of a tenant in a cluster, in place of a single host: the host that owns the tenant at present is killed. */
export class TenantOwner {
  readonly #stage: ClusterStage;
  readonly #tenant: string;
  readonly #clients: MemoryClient[] = [];
  #ended = "";

  constructor(stage: ClusterStage, tenant: string) {
    this.#stage = stage;
    this.#tenant = tenant;
  }

  async client(options: ClientOptions): Promise<MemoryClient> {
    // Short, so that requests in flight during a kill are soon sent again.
    const own = { servers: this.#stage.urls, tenant: this.#tenant, timeoutMs: 2_000 };
    const client = await MemoryClient.connect({ ...own, ...options });
    this.#clients.push(client);
    return client;
  }

  /** Ends the owner and returns its exit code, or the signal. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<NodeJS.Signals | number> {
    this.#ended = await this.#stage.ownerOf(this.#tenant);
    return (await this.#stage.end(this.#ended, signal)) ?? signal;
  }

  /** Starts the host that was ended last. */
  start(): Promise<void> {
    return this.#stage.start(this.#ended);
  }

  async killHost(): Promise<void> {
    await this.end("SIGKILL");
  }

  async recover(): Promise<number> {
    await this.start();
    return 0;
  }

  /** Closes the clients. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}
