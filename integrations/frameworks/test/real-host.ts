import { type ClientOptions, MemoryClient } from "@membus/agent-client";
import { createHost } from "@membus/host";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { systemClock } from "@membus/protocol";
import { onTestFinished } from "vitest";
import { NatsFixture } from "../../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";

/** A nats-server, a host with durable tiers on disk, and clients. */
export class RealHost {
  readonly #fixture = new NatsFixture();
  #url = "";
  #stopHost: () => Promise<void> = async () => {};

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
    this.#stopHost = () => host.stop();
    this.#fixture.onClose(this.#stopHost);
    this.#url = server.url;
  }

  get url(): string {
    return this.#url;
  }

  async connect(options: ClientOptions): Promise<MemoryClient> {
    const client = await MemoryClient.connect({ servers: this.#url, timeoutMs: 60_000, ...options });
    this.#fixture.onClose(() => client.close());
    return client;
  }

  /** Stops the host, so that requests are not answered. */
  stopHost(): Promise<void> {
    return this.#stopHost();
  }

  /** Returns a temporary folder. */
  folder(): Promise<string> {
    return this.#fixture.folder();
  }

  async close(): Promise<void> {
    await this.#fixture.close();
  }
}

/** Starts a host that runs until the end of the test. */
export async function startRealHost(): Promise<RealHost> {
  const host = new RealHost();
  onTestFinished(() => host.close());
  await host.start();
  return host;
}
