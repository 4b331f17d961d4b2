import { type ClientOptions, MemoryClient } from "@membus/agent-client";
import { createHost } from "@membus/host";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { systemClock } from "@membus/protocol";
import { NatsFixture } from "../../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";

/** A nats-server, a host on it that keeps its durable tiers on disk, and clients. */
export class RealHost {
  readonly #fixture = new NatsFixture();
  #url = "";

  async start(): Promise<void> {
    const server = await this.#fixture.launch({ binary: NATS_SERVER });
    const { bus, logger } = await this.#fixture.connect({ servers: server.url });
    const dataDirectories = {
      episodic: await this.#fixture.folder(),
      semantic: await this.#fixture.folder(),
    };
    const plugins = {
      working: createLruPlugin(),
      episodic: createLanceDbPlugin(),
      semantic: createLanceDbPlugin(),
    };
    const services = { bus, logger, clock: systemClock, plugins, dataDirectories };
    const host = createHost(services, { discoveryWaitMs: 10 });
    await host.start();
    this.#fixture.onClose(() => host.stop());
    this.#url = server.url;
  }

  get url(): string {
    return this.#url;
  }

  async connect(options: ClientOptions): Promise<MemoryClient> {
    const client = await MemoryClient.connect({ servers: this.#url, ...options });
    this.#fixture.onClose(() => client.close());
    return client;
  }

  async close(): Promise<void> {
    await this.#fixture.close();
  }
}
