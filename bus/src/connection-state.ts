import type { Clock, MemoryError } from "@membus/protocol";
import type { BusState, Logger } from "@membus/protocol/plugin";
import { notConnected } from "./bus-errors.js";
import type { ResolvedBusDependencies } from "./dependencies.js";

/** Connection state of a bus and its listeners. `closed` is final. */
export class ConnectionState {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #listeners = new Set<(state: BusState) => void>();
  #current: BusState;

  constructor(initial: BusState, { logger, clock }: ResolvedBusDependencies) {
    this.#current = initial;
    this.#logger = logger;
    this.#clock = clock;
  }

  get current(): BusState {
    return this.#current;
  }

  set(state: BusState): void {
    if (this.#current === state || this.#current === "closed") return;
    this.#current = state;
    for (const listener of [...this.#listeners]) {
      try {
        listener(state);
      } catch (error) {
        this.#logger.error({ err: error, state }, "bus state listener failed");
      }
    }
  }

  onChange(listener: (state: BusState) => void): () => void {
    const own = (state: BusState) => listener(state);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** @throws {MemoryError} `unavailable` unless connected. */
  requireConnected(): void {
    if (this.#current !== "connected") throw notConnected(this.#current);
  }

  /**
   * Waits for a connection and returns the rest of `timeoutMs`. Rejects with `unavailable` after the timeout
   * or if the bus closes.
   */
  async waitForConnection(timeoutMs: number): Promise<number> {
    if (this.#current === "connected") return timeoutMs;
    const startedAt = this.#clock.now();
    await this.#nextConnection(timeoutMs);
    const waitedMs = (this.#clock.now() - startedAt) * 1000;
    return Math.max(1, timeoutMs - waitedMs);
  }

  /** Returns `work`, or rejects with `unavailable` as soon as the connection is lost. */
  whileConnected<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = this.onChange((state) => {
        if (state !== "connected") reject(notConnected(state));
      });
      void work.then(resolve, reject).finally(stop);
    });
  }

  #nextConnection(timeoutMs: number): Promise<void> {
    if (this.#current === "closed") return Promise.reject(notConnected("closed"));
    return new Promise((resolve, reject) => {
      const settle = (error?: MemoryError) => {
        stop();
        cancel();
        error === undefined ? resolve() : reject(error);
      };
      const stop = this.onChange((state) => settle(state === "connected" ? undefined : notConnected(state)));
      const cancel = this.#clock.after(timeoutMs, () => settle(notConnected("disconnected")));
    });
  }
}
