import type { BusMessage, HeaderMap } from "@membus/protocol";
import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import { decodeHeaders, NO_HEADERS } from "./headers.js";

const NO_RESPONDERS_STATUS = 503;

/**
 * A received message. Its payload is a view of the receive buffer; headers are parsed when first read, and
 * malformed ones are as none.
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

/** True for the server's own answer to a request that nobody listens for. */
export function isNoResponders(message: Msg): boolean {
  return message.data.length === 0 && wellFormedHeaders(message)?.code === NO_RESPONDERS_STATUS;
}

/** The client throws on header names that no client should send but any can. */
function wellFormedHeaders(message: Msg): MsgHdrs | undefined {
  try {
    return message.headers;
  } catch {
    return undefined;
  }
}
