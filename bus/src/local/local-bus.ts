import { parseOptions } from "@membus/protocol";
import type { Bus, BusMessage, BusState, BusSubscription, HeaderMap } from "@membus/protocol/plugin";
import { notConnected, overMaxPayload } from "../bus-errors.js";
import { ConnectionState } from "../connection-state.js";
import {
  type BusDependencies,
  type ResolvedBusDependencies,
  resolveBusDependencies,
} from "../dependencies.js";
import { decodeHeaders, encodeHeaders, messageSizeBytes, NO_HEADERS } from "../headers.js";
import { PendingReplies } from "../pending-replies.js";
import { checkPattern, checkSubject } from "../subject.js";
import { drainWithin, HandlerTracker } from "../subscriptions.js";
import {
  type LocalBusOptions,
  LocalBusOptionsSchema,
  type ResolvedLocalBusOptions,
} from "./local-options.js";
import { LocalRoutes, type Route } from "./local-routes.js";
import { DeliveryQueue, type LocalDelivery, LocalSubscription } from "./local-subscription.js";

interface SendOptions {
  readonly headers?: HeaderMap | undefined;
  readonly reply?: string | undefined;
}

/**
 * `Bus` within one process, for hosts and clients that share it. Like NATS, it delivers messages in order and
 * never within `publish`. `publish` copies the payload once, so the publisher may reuse its buffer. Receivers
 * share the copy and must not change it.
 */
export class LocalBus implements Bus {
  readonly maxPayloadBytes: number;
  readonly inboxPrefix: string;
  readonly #options: ResolvedLocalBusOptions;
  readonly #dependencies: ResolvedBusDependencies;
  readonly #state: ConnectionState;
  readonly #replies: PendingReplies;
  readonly #delivery: LocalDelivery;
  readonly #subscriptions = new Set<LocalSubscription>();
  #droppedMessages = 0;
  #closing: Promise<void> | undefined;

  constructor(options: ResolvedLocalBusOptions, dependencies: ResolvedBusDependencies) {
    this.maxPayloadBytes = options.maxPayloadBytes;
    this.inboxPrefix = options.inboxPrefix;
    this.#options = options;
    this.#dependencies = dependencies;
    this.#state = new ConnectionState("connected", dependencies);
    this.#replies = new PendingReplies(options.inboxPrefix, dependencies.clock);
    this.#delivery = {
      routes: new LocalRoutes(),
      queue: new DeliveryQueue(),
      limits: options,
      onDrained: (subscription) => this.#subscriptions.delete(subscription),
      onDropped: (subscription, isFirst) => this.#onDropped(subscription, isFirst),
    };
    const { pattern } = this.#replies;
    this.#open({ subject: pattern, queue: undefined }, (message) => this.#replies.receive(message));
  }

  get state(): BusState {
    return this.#state.current;
  }

  /** Number of messages dropped because the queue of a subscription was full. */
  get droppedMessages(): number {
    return this.#droppedMessages;
  }

  onState(listener: (state: BusState) => void): () => void {
    return this.#state.onChange(listener);
  }

  publish(subject: string, payload: Uint8Array, options: { headers?: HeaderMap; reply?: string } = {}): void {
    this.#send(subject, payload, options);
  }

  subscribe(
    subject: string,
    onMessage: (message: BusMessage) => void | Promise<void>,
    options: { queue?: string } = {},
  ): BusSubscription {
    checkPattern(subject);
    if (options.queue !== undefined) checkSubject(options.queue);
    if (this.#closing !== undefined) throw notConnected("closed");
    const subscription = this.#open({ subject, queue: options.queue }, onMessage);
    this.#subscriptions.add(subscription);
    return subscription;
  }

  async request(
    subject: string,
    payload: Uint8Array,
    { timeoutMs, headers }: { timeoutMs: number; headers?: HeaderMap },
  ): Promise<BusMessage> {
    return this.#replies.one(subject, timeoutMs, (reply) =>
      this.#request(subject, payload, { reply, headers }),
    );
  }

  async requestMany(
    subject: string,
    payload: Uint8Array,
    { waitMs }: { waitMs: number },
  ): Promise<BusMessage[]> {
    return this.#replies.many(subject, waitMs, (reply) => this.#request(subject, payload, { reply }));
  }

  async flush(): Promise<void> {
    this.#state.requireConnected();
    await this.#delivery.queue.flushed();
  }

  /** Drains the subscriptions and waits for their callbacks. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await drainWithin(this.#options.closeTimeoutMs, this.#subscriptions, this.#dependencies);
    this.#replies.failAll(notConnected("closed"));
    this.#state.set("closed");
  }

  #open(route: Route, onMessage: (message: BusMessage) => void | Promise<void>): LocalSubscription {
    const handlers = new HandlerTracker(route.subject, onMessage, this.#dependencies.logger);
    return new LocalSubscription(route, handlers, this.#delivery);
  }

  #request(subject: string, payload: Uint8Array, options: SendOptions & { readonly reply: string }): void {
    if (this.#send(subject, payload, options) === 0) this.#replies.failNoResponders(options.reply);
  }

  /** Sends a message and returns the number of receiving subscriptions. */
  #send(subject: string, payload: Uint8Array, { headers, reply }: SendOptions): number {
    this.#state.requireConnected();
    checkSubject(subject);
    if (reply !== undefined) checkSubject(reply);
    const encoded = headers && encodeHeaders(headers);
    const sizeBytes = messageSizeBytes(payload, encoded);
    if (sizeBytes > this.maxPayloadBytes) throw overMaxPayload(this.maxPayloadBytes, sizeBytes);
    const receivers = this.#delivery.routes.receivers(subject);
    const message: BusMessage = {
      subject,
      ...(reply !== undefined && { reply }),
      headers: encoded === undefined ? NO_HEADERS : decodeHeaders(encoded),
      payload: new Uint8Array(payload),
    };
    for (const receiver of receivers) receiver.accept(message, sizeBytes);
    return receivers.length;
  }

  #onDropped(subscription: LocalSubscription, isFirst: boolean): void {
    this.#droppedMessages++;
    if (!isFirst) return;
    const { subject } = subscription;
    this.#dependencies.logger.error({ subject }, "dropping messages: subscription is too slow");
  }
}

/**
 * Creates a bus within this process.
 *
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function createLocalBus(options: LocalBusOptions, dependencies: BusDependencies = {}): LocalBus {
  return new LocalBus(parseOptions(LocalBusOptionsSchema, options), resolveBusDependencies(dependencies));
}
