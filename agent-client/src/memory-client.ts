import { type BusDependencies, connectNatsBus, natsBusFromConnection } from "@membus/bus";
import { type Clock, silentLogger, systemClock } from "@membus/protocol";
import type { Bus, Logger } from "@membus/protocol/plugin";
import { AgentMemory } from "./agent-memory.js";
import {
  type ConnectOptions,
  parseConnectOptions,
  type ResolvedClientOptions,
  type Target,
} from "./client-options.js";
import { Exchange, RequestTracer } from "./exchange/index.js";

export interface ClientDependencies {
  /** @default the system clock */
  readonly clock?: Clock;
  /** Logs lost connections and failed `watch` callbacks. By default nothing is logged. */
  readonly logger?: Logger;
}

/** Memory of an agent with the connection to its host. */
export class MemoryClient extends AgentMemory {
  readonly #exchange: Exchange;
  readonly #closeBus: () => Promise<void>;
  #closing: Promise<void> | undefined;

  private constructor(exchange: Exchange, settings: ResolvedClientOptions, closeBus: () => Promise<void>) {
    super(exchange, settings);
    this.#exchange = exchange;
    this.#closeBus = closeBus;
  }

  /**
   * Connects to a host: by URL, over an existing NATS connection, or in process.
   *
   * @throws {TypeError} for an option that is unknown, out of range or excluded by another option.
   * @throws {MemoryError} `unavailable` if no NATS server can be reached, `unauthorized` if the server
   * refuses the connection. Does not check that a host is running: see `ping`.
   */
  static async connect(
    options: ConnectOptions,
    dependencies: ClientDependencies = {},
  ): Promise<MemoryClient> {
    const { client, target } = parseConnectOptions(options);
    const { clock = systemClock, logger = silentLogger } = dependencies;
    const tracer = await RequestTracer.load();
    const { bus, close } = await openBus(target, { clock, logger });
    const exchange = new Exchange(bus, clock, tracer);
    return new MemoryClient(exchange, client, close);
  }

  /**
   * Waits until all requests in flight have ended, without further retries. Then ends the watches and closes
   * the connection if `connect` opened it. Later calls, also of other views, fail with `unavailable`.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#exchange.close();
    await this.#closeBus();
  }
}

interface OpenBus {
  readonly bus: Bus;
  /** Closes the bus if it was opened here. */
  close(): Promise<void>;
}

/**
 * Opens the bus of a target.
 *
 * @throws {TypeError} for options that the target does not allow.
 */
async function openBus(target: Target, dependencies: BusDependencies): Promise<OpenBus> {
  const { bus, connection, ...options } = target;
  if (bus !== undefined) {
    rejectOtherOptions("bus", target, []);
    return { bus, close: async () => {} };
  }
  if (connection !== undefined) rejectOtherOptions("connection", target, ["inboxPrefix", "closeTimeoutMs"]);
  const opened =
    connection === undefined
      ? await connectNatsBus(options, dependencies)
      : natsBusFromConnection(connection, options, dependencies);
  return { bus: opened, close: () => opened.close() };
}

function rejectOtherOptions(name: string, target: Target, allowed: readonly string[]): void {
  const excluded = Object.keys(target).find((other) => other !== name && !allowed.includes(other));
  if (excluded !== undefined) throw new TypeError(`\`${name}\` excludes \`${excluded}\``);
}
