import type { BusMessage, BusSubscription } from "@membus/protocol/plugin";
import type { HandlerTracker } from "../subscriptions.js";
import type { LocalRoutes, Route } from "./local-routes.js";

/** State that the subscriptions of one bus share. */
export interface LocalDelivery {
  readonly routes: LocalRoutes<LocalSubscription>;
  readonly queue: DeliveryQueue;
  readonly limits: { readonly pendingMessages: number; readonly pendingBytes: number };
  onDrained(subscription: LocalSubscription): void;
  /**
   * Reports a dropped message. `isFirst` is true for the first of a burst, so that each burst is logged once.
   */
  onDropped(subscription: LocalSubscription, isFirst: boolean): void;
}

/** Subscription of a local bus. Counts queued messages and drops messages over the limits. */
export class LocalSubscription implements BusSubscription, Route {
  readonly subject: string;
  readonly queue: string | undefined;
  readonly #handlers: HandlerTracker;
  readonly #delivery: LocalDelivery;
  #pendingMessages = 0;
  #pendingBytes = 0;
  #overflowing = false;
  #draining: Promise<void> | undefined;

  constructor({ subject, queue }: Route, handlers: HandlerTracker, delivery: LocalDelivery) {
    this.subject = subject;
    this.queue = queue;
    this.#handlers = handlers;
    this.#delivery = delivery;
    delivery.routes.add(this);
  }

  get isClosed(): boolean {
    return this.#draining !== undefined;
  }

  accept(message: BusMessage, sizeBytes: number): void {
    const { limits, queue } = this.#delivery;
    const fits =
      this.#pendingMessages < limits.pendingMessages && this.#pendingBytes + sizeBytes <= limits.pendingBytes;
    if (!fits) {
      this.#delivery.onDropped(this, !this.#overflowing);
      this.#overflowing = true;
      return;
    }
    this.#pendingMessages++;
    this.#pendingBytes += sizeBytes;
    queue.push(() => this.#deliver(message, sizeBytes));
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  #deliver(message: BusMessage, sizeBytes: number): void {
    this.#pendingMessages--;
    this.#pendingBytes -= sizeBytes;
    if (this.#pendingMessages === 0) this.#overflowing = false;
    this.#handlers.run(message);
  }

  async #drain(): Promise<void> {
    this.#delivery.routes.delete(this);
    await this.#delivery.queue.flushed();
    await this.#handlers.idle();
    this.#delivery.onDrained(this);
  }
}

/**
 * Runs callbacks in order, never within `push`. Timers and sockets of the process run between two batches.
 */
export class DeliveryQueue {
  #waiting: (() => void)[] = [];

  push(deliver: () => void): void {
    if (this.#waiting.push(deliver) === 1) setImmediate(() => this.#runBatch());
  }

  /** Resolves when everything pushed so far has run. */
  flushed(): Promise<void> {
    return new Promise((resolve) => this.push(resolve));
  }

  #runBatch(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    for (const deliver of batch) deliver();
  }
}
