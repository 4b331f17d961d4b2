import type {
  Bus,
  BusMessage,
  BusState,
  BusSubscription,
  HeaderMap,
  Intake,
  Logger,
} from "@membus/protocol/plugin";
import type {
  Msg,
  MsgHdrs,
  NatsConnection,
  PublishOptions,
  Status,
  Subscription,
  SubscriptionOptions,
} from "@nats-io/transport-node";
import { notConnected, overMaxPayload } from "../bus-errors.js";
import { ConnectionState } from "../connection-state.js";
import type { ResolvedBusDependencies } from "../dependencies.js";
import { encodeHeaders, messageSizeBytes } from "../headers.js";
import { PendingReplies } from "../pending-replies.js";
import { checkPattern, checkSubject } from "../subject.js";
import { drainWithin, HandlerTracker, settledWithin } from "../subscriptions.js";
import type { IntakeThread } from "./intake/intake-thread.js";
import type { BucketOptions, NatsBucket } from "./nats-bucket.js";
import { fromNatsError, permissionViolation } from "./nats-errors.js";
import { isNoResponders, NatsMessage, NatsSubscription } from "./nats-subscription.js";

export interface NatsBusSettings {
  readonly inboxPrefix: string;
  readonly closeTimeoutMs: number;
  /** Whether `close` also closes the connection. */
  readonly ownsConnection: boolean;
  /** Starts the thread for subscriptions with `intake`. Absent: they use this connection. */
  readonly openIntake?: (
    senderTokens: number,
    state: ConnectionState,
    onEnded: (error: Error) => void,
  ) => IntakeThread;
}

/** Default limit of a server, used before the first connection. */
const SERVER_MAX_PAYLOAD = 1024 * 1024;

/**
 * `Bus` on a NATS connection.
 *
 * If the connection is lost, every request in flight fails at once with `unavailable` (`reason:
 * "disconnected"`). The request may have taken effect, but its reply is lost. While disconnected, a new
 * request waits for a connection until its timeout. `publish` and `flush` throw, because NATS would lose the
 * message. Subscriptions are restored on reconnect. A server that refuses the credentials twice in a row
 * closes the bus permanently.
 *
 * A payload is written in the next microtask and is not copied. The publisher must not change it until then.
 *
 * A refused subscription is logged, and the next `flush` rejects with `unauthorized`.
 */
export class NatsBus implements Bus {
  readonly inboxPrefix: string;
  readonly #connection: NatsConnection;
  readonly #settings: NatsBusSettings;
  readonly #dependencies: ResolvedBusDependencies;
  readonly #logger: Logger;
  readonly #state: ConnectionState;
  readonly #replies: PendingReplies;
  readonly #subscriptions = new Set<NatsSubscription>();
  #inbox: Subscription | undefined;
  #intake: IntakeThread | undefined;
  #maxPayloadBytes: number;
  #subscriptionError: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(connection: NatsConnection, settings: NatsBusSettings, dependencies: ResolvedBusDependencies) {
    this.inboxPrefix = settings.inboxPrefix;
    this.#connection = connection;
    this.#maxPayloadBytes = connection.info?.max_payload ?? SERVER_MAX_PAYLOAD;
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.#logger = dependencies.logger;
    this.#state = new ConnectionState(stateOf(connection), dependencies);
    this.#replies = new PendingReplies(settings.inboxPrefix, dependencies.clock);
    void this.#followStatus();
    void connection.closed().then((error) => this.#onClosed(error ?? undefined));
  }

  /** The connection to NATS, for requests to JetStream. The bus closes it. */
  get connection(): NatsConnection {
    return this.#connection;
  }

  /** Limit of the server. While disconnected, the last known limit. */
  get maxPayloadBytes(): number {
    this.#maxPayloadBytes = this.#connection.info?.max_payload ?? this.#maxPayloadBytes;
    return this.#maxPayloadBytes;
  }

  get state(): BusState {
    return this.#state.current;
  }

  onState(listener: (state: BusState) => void): () => void {
    return this.#state.onChange(listener);
  }

  publish(subject: string, payload: Uint8Array, options: { headers?: HeaderMap; reply?: string } = {}): void {
    this.#state.requireConnected();
    const headers = options.headers && encodeHeaders(options.headers);
    const max = this.maxPayloadBytes;
    const sizeBytes = messageSizeBytes(payload, headers);
    if (sizeBytes > max) throw overMaxPayload(max, sizeBytes);
    try {
      this.#connection.publish(subject, payload, publishOptions(headers, options.reply));
    } catch (error) {
      throw fromNatsError(error);
    }
  }

  subscribe(
    subject: string,
    onMessage: (message: BusMessage) => void | Promise<void>,
    { queue, intake }: { queue?: string; intake?: Intake } = {},
  ): BusSubscription {
    checkPattern(subject);
    if (queue !== undefined) checkSubject(queue);
    if (this.#closing !== undefined || this.state === "closed") throw notConnected("closed");
    const handlers = new HandlerTracker(subject, onMessage, this.#logger);
    const { openIntake } = this.#settings;
    if (intake !== undefined && openIntake !== undefined) {
      this.#intake ??= openIntake(intake.senderTokens, this.#state, (error) => this.#onClosed(error));
      return this.#intake.subscribe(subject, handlers, intake, queue);
    }
    const onMsg = (error: Error | null, message: Msg) => {
      error === null ? handlers.run(new NatsMessage(message)) : this.#onSubscriptionRefused(error, own);
    };
    const subscription = this.#openSubscription(subject, {
      ...(queue !== undefined && { queue }),
      callback: onMsg,
    });
    const onDrained = () => this.#subscriptions.delete(own);
    const own = new NatsSubscription(subscription, handlers, this.#state, onDrained);
    this.#subscriptions.add(own);
    return own;
  }

  async request(
    subject: string,
    payload: Uint8Array,
    { timeoutMs, headers }: { timeoutMs: number; headers?: HeaderMap },
  ): Promise<BusMessage> {
    const remainingMs = await this.#readyToRequest(timeoutMs);
    return this.#replies.one(subject, remainingMs, (reply) =>
      this.publish(subject, payload, headers === undefined ? { reply } : { reply, headers }),
    );
  }

  async requestMany(
    subject: string,
    payload: Uint8Array,
    { waitMs }: { waitMs: number },
  ): Promise<BusMessage[]> {
    const remainingMs = await this.#readyToRequest(waitMs);
    return this.#replies.many(subject, remainingMs, (reply) => this.publish(subject, payload, { reply }));
  }

  async flush(): Promise<void> {
    this.#state.requireConnected();
    try {
      await this.#state.whileConnected(this.#connection.flush());
    } catch (error) {
      throw fromNatsError(error);
    }
    await this.#intake?.flush();
    const subscriptionError = this.#subscriptionError;
    this.#subscriptionError = undefined;
    if (subscriptionError !== undefined) throw subscriptionError;
  }

  /**
   * Opens a bucket. The JetStream client is loaded only by this method.
   *
   * @throws like `NatsBucket.open`.
   */
  async openBucket(options: BucketOptions): Promise<NatsBucket> {
    const buckets = await import("./nats-bucket.js");
    return buckets.NatsBucket.open(this.#connection, options);
  }

  /**
   * Drains the subscriptions, waits for their callbacks, then drains and closes the connection. A connection
   * that was opened elsewhere stays open, and only messages of this bus are flushed.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { closeTimeoutMs, ownsConnection } = this.#settings;
    await drainWithin(closeTimeoutMs, this.#subscriptions, this.#dependencies);
    await this.#intake?.close(closeTimeoutMs);
    if (this.state === "connected") await this.#flushWithin(closeTimeoutMs);
    if (ownsConnection) await this.#connection.close();
    this.#inbox?.unsubscribe();
    this.#onClosed();
  }

  /** Sends the remaining published messages to the server. */
  async #flushWithin(timeoutMs: number): Promise<void> {
    const finish = this.#settings.ownsConnection ? this.#connection.drain() : this.#connection.flush();
    await settledWithin(timeoutMs, this.#state.whileConnected(finish), this.#dependencies.clock);
  }

  async #readyToRequest(timeoutMs: number): Promise<number> {
    const remainingMs = await this.#state.waitForConnection(timeoutMs);
    this.#inbox ??= this.#openSubscription(this.#replies.pattern, {
      callback: (error, message) => this.#onReply(error, message),
    });
    return remainingMs;
  }

  #openSubscription(subject: string, options: SubscriptionOptions): Subscription {
    try {
      return this.#connection.subscribe(subject, options);
    } catch (error) {
      throw fromNatsError(error);
    }
  }

  #onReply(error: Error | null, message: Msg): void {
    if (error !== null) {
      // The server has dropped the subscription. The next request subscribes again.
      this.#inbox = undefined;
      this.#replies.failAll(fromNatsError(error));
    } else if (isNoResponders(message)) {
      this.#replies.failNoResponders(message.subject);
    } else {
      this.#replies.receive(new NatsMessage(message));
    }
  }

  async #followStatus(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (this.state === "closed") return;
      this.#onStatus(status);
    }
  }

  #onStatus(status: Status): void {
    if (status.type === "disconnect") {
      this.#logger.warn({ server: status.server }, "disconnected from NATS");
      this.#replies.failAll(notConnected("disconnected"));
      this.#state.set("disconnected");
    } else if (status.type === "reconnect") {
      this.#logger.info({ server: status.server }, "reconnected to NATS");
      this.#state.set("connected");
    } else if (status.type === "error") {
      this.#onServerError(status.error);
    }
  }

  /** Handles an error of the server. Subscriptions report their own refusals in their callbacks. */
  #onServerError(error: Error): void {
    const refused = permissionViolation(error);
    if (refused?.operation === "subscription") return;
    if (refused !== undefined && this.#replies.failSubject(refused.subject, fromNatsError(error)) > 0) return;
    this.#logger.error({ err: error }, "NATS server reported an error");
  }

  #onSubscriptionRefused(error: Error, subscription: NatsSubscription): void {
    this.#logger.error({ err: error }, "NATS server refused a subscription");
    subscription.refuse();
    this.#subscriptions.delete(subscription);
    this.#subscriptionError = fromNatsError(error);
  }

  #onClosed(error?: Error): void {
    if (this.state === "closed") return;
    if (error !== undefined) this.#logger.error({ err: error }, "NATS connection closed");
    this.#replies.failAll(notConnected("closed"));
    this.#state.set("closed");
  }
}

/** Returns the state of a connection. Only a connected client has server info. */
function stateOf(connection: NatsConnection): BusState {
  if (connection.isClosed()) return "closed";
  return connection.info === undefined ? "disconnected" : "connected";
}

function publishOptions(headers: MsgHdrs | undefined, reply: string | undefined): PublishOptions | undefined {
  if (headers === undefined) return reply === undefined ? undefined : { reply };
  return reply === undefined ? { headers } : { headers, reply };
}
