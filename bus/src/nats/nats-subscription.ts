import type { BusMessage, BusSubscription, HeaderMap } from "@membus/protocol/plugin";
import type { Msg, MsgHdrs, Subscription } from "@nats-io/transport-node";
import type { ConnectionState } from "../connection-state.js";
import { decodeHeaders, NO_HEADERS } from "../headers.js";
import type { HandlerTracker } from "../subscriptions.js";

/** NATS subscription with a drain that also waits for asynchronous callbacks. */
export class NatsSubscription implements BusSubscription {
  readonly #subscription: Subscription;
  readonly #handlers: HandlerTracker;
  readonly #state: ConnectionState;
  readonly #onDrained: () => void;
  #isRefused = false;
  #draining: Promise<void> | undefined;

  constructor(
    subscription: Subscription,
    handlers: HandlerTracker,
    state: ConnectionState,
    onDrained: () => void,
  ) {
    this.#subscription = subscription;
    this.#handlers = handlers;
    this.#state = state;
    this.#onDrained = onDrained;
  }

  get isClosed(): boolean {
    return this.#isRefused || this.#draining !== undefined;
  }

  /** Marks the subscription as refused by the server. */
  refuse(): void {
    this.#isRefused = true;
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    if (!this.#subscription.isClosed()) await this.#stopDelivery();
    await this.#handlers.idle();
    this.#onDrained();
  }

  async #stopDelivery(): Promise<void> {
    try {
      this.#state.requireConnected();
      await this.#state.whileConnected(this.#subscription.drain());
    } catch {
      // Without a connection no more messages arrive. Unsubscribing prevents the next connection from
      // restoring the subscription.
      this.#subscription.unsubscribe();
    }
  }
}

const NO_RESPONDERS_STATUS = 503;

/**
 * Received message. Its payload is a view of the receive buffer. Headers are parsed on first access, and
 * malformed headers are treated as empty.
 */
export class NatsMessage implements BusMessage {
  readonly subject: string;
  readonly reply?: string;
  readonly payload: Uint8Array;
  readonly #message: Msg;
  #headers: HeaderMap | undefined;

  constructor(message: Msg) {
    this.#message = message;
    this.subject = message.subject;
    const { reply } = message;
    if (reply) this.reply = reply;
    this.payload = message.data;
  }

  get headers(): HeaderMap {
    this.#headers ??= this.#decodeHeaders();
    return this.#headers;
  }

  #decodeHeaders(): HeaderMap {
    const encoded = wellFormedHeaders(this.#message);
    return encoded === undefined ? NO_HEADERS : decodeHeaders(encoded);
  }
}

/** Returns true for the server's reply to a request without responders. */
export function isNoResponders(message: Msg): boolean {
  return message.data.length === 0 && wellFormedHeaders(message)?.code === NO_RESPONDERS_STATUS;
}

/** Returns the headers, or undefined if they are malformed. The client throws on invalid header names. */
function wellFormedHeaders(message: Msg): MsgHdrs | undefined {
  try {
    return message.headers;
  } catch {
    return undefined;
  }
}
