import { type BusDependencies, connectNatsBus, natsBusFromConnection } from "@membus/bus";
import { type Bus, type Clock, type Logger, silentLogger, systemClock } from "@membus/protocol";
import { AgentMemory } from "./agent-memory.js";
import {
  type ConnectOptions,
  type ResolvedClientOptions,
  resolveClientOptions,
  type Target,
} from "./client-options.js";
import { Exchange, loadTraceHeaders } from "./exchange/index.js";

export interface ClientDependencies {
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Hears of lost connections and of `watch` callbacks that fail. Without it nobody does. */
  readonly logger?: Logger;
}

/** An agent's memory together with the connection to its host. */
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
   * Connects to a host: by URL, over a NATS connection that is there already, or in process.
   *
   * @throws {TypeError} for an option that is unknown, out of range or excluded by another.
   * @throws {MemoryError} `unavailable` when no NATS server can be reached, `unauthorized` when it refuses.
   * That a host listens is not asked: see `ping`.
   */
  static async connect(
    options: ConnectOptions,
    dependencies: ClientDependencies = {},
  ): Promise<MemoryClient> {
    const { client, target } = resolveClientOptions(options);
    const { clock = systemClock, logger = silentLogger } = dependencies;
    const traceHeaders = await loadTraceHeaders();
    const { bus, close } = await openBus(target, { clock, logger });
    const exchange = new Exchange(bus, clock, traceHeaders);
    return new MemoryClient(exchange, client, close);
  }

  /**
   * Waits until every request in flight is answered or has failed, without further retries, ends the watches, and
   * closes the connection if `connect` made it. Views end with it; later calls are refused with `unavailable`.
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
  /** Ends what was opened here, and nothing that was given. */
  close(): Promise<void>;
}

/** @throws {TypeError} for options that do not go with the target. */
async function openBus(target: Target, dependencies: BusDependencies): Promise<OpenBus> {
  const { bus, connection, ...options } = target;
  if (bus !== undefined) {
    refuseOthers("bus", target, []);
    return { bus, close: async () => {} };
  }
  if (connection !== undefined) refuseOthers("connection", target, ["inboxPrefix", "closeTimeoutMs"]);
  const opened =
    connection === undefined
      ? await connectNatsBus(options, dependencies)
      : natsBusFromConnection(connection, options, dependencies);
  return { bus: opened, close: () => opened.close() };
}

function refuseOthers(name: string, target: Target, allowed: readonly string[]): void {
  const excluded = Object.keys(target).find((other) => other !== name && !allowed.includes(other));
  if (excluded !== undefined) throw new TypeError(`\`${name}\` excludes \`${excluded}\``);
}
