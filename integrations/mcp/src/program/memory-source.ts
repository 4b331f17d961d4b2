import { type AgentMemory, type ConnectOptions, MemoryClient } from "@membus/agent-client";
import { type Clock, isMemoryError, MemoryError, withTimeout } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";

const CONNECT_WAIT_MS = 3_000;
const CONNECT_PAUSE_MS = 5_000;

export interface MemorySourceDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The memory on a bus that may not be running yet. Connects in the background, and retries with each call.
 */
export class MemorySource {
  readonly #options: ConnectOptions;
  readonly #dependencies: MemorySourceDependencies;
  readonly #onConnected: (memory: AgentMemory) => Promise<unknown>;
  #connecting: Promise<MemoryClient> | undefined;
  #client: MemoryClient | undefined;
  #isClosed = false;
  #fail: (error: unknown) => void = () => {};
  /** Rejects if the options are invalid, so that a retry cannot help. */
  readonly mistake: Promise<never> = new Promise((_, reject) => {
    this.#fail = reject;
  });

  /** Starts to connect. `onConnected` is called once. */
  constructor(
    options: ConnectOptions,
    dependencies: MemorySourceDependencies,
    onConnected: (memory: AgentMemory) => Promise<unknown> = async () => {},
  ) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#onConnected = onConnected;
    this.mistake.catch(() => {});
    this.#connecting = this.#connect();
  }

  /**
   * @throws {MemoryError} `unavailable` or the reason of the server, if there is no connection within a few
   * seconds.
   */
  async memory(): Promise<AgentMemory> {
    this.#connecting ??= this.#connect();
    const client = await withTimeout(this.#dependencies.clock, CONNECT_WAIT_MS, this.#connecting);
    if (client !== undefined) return client;
    throw new MemoryError("unavailable", "the connection to the bus is not ready yet");
  }

  /**
   * Waits a few seconds for the first attempt, so that invalid options are reported before any client is
   * served.
   * @throws {TypeError} for invalid options.
   */
  async tried(): Promise<void> {
    try {
      await this.memory();
    } catch (error) {
      if (!isMemoryError(error)) throw error;
    }
  }

  /** Waits for calls in flight. A pending connection attempt is left to the end of the process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.close();
  }

  #connect(): Promise<MemoryClient> {
    const connecting = this.#connected();
    connecting.catch((error: unknown) => this.#tryLater(error));
    return connecting;
  }

  /** Connects, and reports changes from then on. */
  async #connected(): Promise<MemoryClient> {
    const { logger } = this.#dependencies;
    const client = await MemoryClient.connect(this.#options, this.#dependencies);
    this.#client = client;
    logger.info({}, "connected to the bus");
    await this.#onConnected(client).catch((error: unknown) => {
      logger.warn({ err: error }, "cannot watch for changes");
    });
    return client;
  }

  #tryLater(error: unknown): void {
    const { clock, logger } = this.#dependencies;
    this.#connecting = undefined;
    if (!isMemoryError(error)) return this.#fail(error);
    logger.warn({ err: error }, "cannot connect to the bus");
    const connect = () => {
      if (!this.#isClosed) this.#connecting ??= this.#connect();
    };
    clock.after(CONNECT_PAUSE_MS, connect, { background: true });
  }
}
