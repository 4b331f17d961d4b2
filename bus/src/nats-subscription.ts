import type { BusSubscription } from "@membus/protocol";
import type { Subscription } from "@nats-io/transport-node";
import type { ConnectionState } from "./connection-state.js";
import type { HandlerRuns } from "./handler-runs.js";

/** A NATS subscription whose drain, unlike NATS's own, also waits for asynchronous callbacks. */
export class NatsSubscription implements BusSubscription {
  readonly #subscription: Subscription;
  readonly #runs: HandlerRuns;
  readonly #state: ConnectionState;
  readonly #onDrained: () => void;
  #draining: Promise<void> | undefined;

  constructor(subscription: Subscription, runs: HandlerRuns, state: ConnectionState, onDrained: () => void) {
    this.#subscription = subscription;
    this.#runs = runs;
    this.#state = state;
    this.#onDrained = onDrained;
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    if (!this.#subscription.isClosed()) await this.#stopDelivery();
    await this.#runs.idle();
    this.#onDrained();
  }

  async #stopDelivery(): Promise<void> {
    try {
      this.#state.requireConnected();
      await this.#state.whileConnected(this.#subscription.drain());
    } catch {
      // Without a connection nothing more arrives, and the next one must not bring the subscription back.
      this.#subscription.unsubscribe();
    }
  }
}
