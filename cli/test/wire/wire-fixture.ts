import { type ConnectOptions, MemoryClient } from "@membus/agent-client";
import { connectNatsBus, type NatsBusOptions } from "@membus/bus";
import type { Host } from "@membus/host";
import { type LaunchOptions, launchNatsServer, type NatsServer } from "@membus/nats-server";
import { systemClock } from "@membus/protocol";
import { connect, type NatsConnection, type NodeConnectionOptions } from "@nats-io/transport-node";
import { RecordingLogger } from "../../../bus/test/recording-logger.js";
import type { ConfigFile } from "../../src/config/config-schema.js";
import { startComposedHost } from "./composed-host.js";

export interface WireOptions {
  /** nats-server binary to run. */
  readonly binary: string;
  readonly server?: Omit<LaunchOptions, "binary">;
  /** Connection options of the host, such as its user. */
  readonly hostConnection?: Omit<NatsBusOptions, "servers">;
  /** Settings of the host, as in `membus.yaml`. */
  readonly config?: ConfigFile;
}

/** A nats-server on a free port, and a host in this process, composed as in `membus up`. */
export class Wire {
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  /** Log of the host and its connection. */
  readonly logger = new RecordingLogger();
  server!: NatsServer;
  host!: Host;

  static async start(options: WireOptions): Promise<Wire> {
    const wire = new Wire();
    try {
      await wire.#start(options);
      return wire;
    } catch (error) {
      await wire.close();
      throw error;
    }
  }

  get url(): string {
    return this.server.url;
  }

  /** Returns a client with a separate connection, closed with the fixture. */
  async client(agent: string, options: Partial<ConnectOptions> = {}): Promise<MemoryClient> {
    const client = await MemoryClient.connect({
      servers: this.url,
      agent,
      ...options,
    } as ConnectOptions);
    this.#cleanups.push(() => client.close());
    return client;
  }

  /** Returns a plain NATS connection, as any client has. */
  async connection(options: NodeConnectionOptions = {}): Promise<NatsConnection> {
    const connection = await connect({ servers: this.url, ...options });
    this.#cleanups.push(() => connection.close());
    return connection;
  }

  /**
   * Closes clients, then the host, then its server.
   * @throws if the host has logged an error, because no message may cause one.
   */
  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
    const [problem] = this.logger.lines.filter(({ level }) => level === "error");
    if (problem !== undefined)
      throw new Error(`the host logged an error: ${problem.message}`, { cause: problem.fields.err });
  }

  async #start({ binary, server, hostConnection, config }: WireOptions): Promise<void> {
    this.server = await launchNatsServer({ binary, ...server });
    this.#cleanups.push(() => this.server.kill());
    const dependencies = { logger: this.logger, clock: systemClock };
    const bus = await connectNatsBus({ servers: this.url, ...hostConnection }, dependencies);
    this.#cleanups.push(() => bus.close());
    const { host, remove } = await startComposedHost(bus, this.logger, config);
    this.host = host;
    this.#cleanups.push(remove);
  }
}
