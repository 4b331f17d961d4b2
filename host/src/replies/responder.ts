import {
  type Clock,
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  type DecodedRequest,
  type Encoding,
  errorHeaders,
  type MemoryError,
  type RequestAddress,
  replyType,
} from "@membus/protocol";
import type { Bus, BusMessage, HeaderMap, Logger } from "@membus/protocol/plugin";
import type { DropReason, Metrics, OutcomeLabel, TypeLabel } from "../metrics.js";
import { asMemoryError, failure, type Outcome } from "../outcome.js";
import type { Span } from "../tracing/index.js";
import type { Audit } from "./audit.js";
import { encodeError, encodeFitting, HEADER_BYTES_RESERVED, type Reply } from "./reply.js";

/** A message and the data needed to answer it. */
export interface Exchange {
  /** Reply subject, or undefined if no reply is expected. */
  readonly reply: string | undefined;
  /** Sends the reply on the connection of the request. Absent: the bus sends it. */
  readonly respond?: BusMessage["respond"];
  readonly encoding: Encoding;
  /** Undefined if the subject is not a request subject. */
  readonly address: RequestAddress | undefined;
  /** Null if no id could be read. */
  readonly reqId: string | null;
  /** Unix seconds. */
  readonly receivedAt: number;
  readonly requestBytes: number;
  /** Undefined if the message could not be read. */
  readonly request: DecodedRequest | undefined;
  readonly span: Span;
}

export interface ResponderDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly audit: Audit | undefined;
}

/** Reply as it is sent: a reply that is too large becomes an error. */
interface EncodedReply {
  readonly outcome: Outcome<Reply>;
  readonly payload: Uint8Array;
}

/** Answers requests: encodes, publishes, counts and writes the audit record. */
export class Responder {
  readonly #dependencies: ResponderDependencies;

  constructor(dependencies: ResponderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Never throws. A reply that cannot be sent is counted, and the client can retry the request. */
  answer(exchange: Exchange, outcome: Outcome<Reply>): void {
    try {
      const encoded = exchange.reply === undefined ? undefined : this.#encode(exchange, outcome);
      if (encoded !== undefined) this.#publish(exchange, encoded);
      this.#record(exchange, encoded?.outcome ?? outcome, encoded?.payload.length ?? 0);
    } catch (error) {
      this.#dependencies.logger.error({ err: error }, "failed to record an answered request");
    }
  }

  /** Refuses a request that was not read because a limit is exceeded. Never throws. */
  refuse(exchange: Exchange, cause: string, error: MemoryError): void {
    this.#dependencies.metrics.refuse(cause);
    this.answer(exchange, failure(error));
  }

  /** Counts a message that is not answered. Never throws. */
  drop(subject: string, prefix: string, reason: DropReason, requestBytes: number): void {
    const { metrics, audit, logger } = this.#dependencies;
    metrics.drop(reason);
    try {
      audit?.dropped(subject, prefix, reason, requestBytes);
    } catch (error) {
      logger.error({ err: error }, "failed to record a dropped message");
    }
  }

  /** Counts messages of a flood that no part of the host has read. They have no audit records. */
  dropUnread(count: number): void {
    this.#dependencies.metrics.drop("flood", count);
  }

  #encode(exchange: Exchange, outcome: Outcome<Reply>): EncodedReply {
    const { bus, clock, logger } = this.#dependencies;
    if (!outcome.ok) return this.#encodeError(exchange, outcome.error);
    const { address, reqId, encoding } = exchange;
    const envelope = { type: replyType(address!.type), reqId, ts: clock.now() };
    const maxBytes = bus.maxPayloadBytes - HEADER_BYTES_RESERVED;
    try {
      return { outcome, payload: encodeFitting(envelope, outcome.value, encoding, maxBytes) };
    } catch (error) {
      return this.#encodeError(exchange, asMemoryError(error, logger));
    }
  }

  #encodeError({ reqId, encoding }: Exchange, error: MemoryError): EncodedReply {
    const ts = this.#dependencies.clock.now();
    return { outcome: failure(error), payload: encodeError({ reqId, ts }, error, encoding) };
  }

  #publish({ reply, respond, encoding, address, reqId }: Exchange, { outcome, payload }: EncodedReply): void {
    const { bus, metrics, logger } = this.#dependencies;
    try {
      const headers = headersOf(encoding, outcome);
      if (respond === undefined) bus.publish(reply!, payload, { headers });
      else respond(payload, headers);
    } catch (error) {
      metrics.drop("reply_failed");
      logger.warn({ err: error, type: address?.type, id: reqId }, "could not send a reply");
    }
  }

  #record(exchange: Exchange, outcome: Outcome<Reply>, replyBytes: number): void {
    const { clock, metrics, audit } = this.#dependencies;
    const { address, receivedAt, requestBytes, reqId, request, span } = exchange;
    const type: TypeLabel = address?.type ?? "unknown";
    const code: OutcomeLabel = outcome.ok ? "ok" : outcome.error.code;
    const took_ms = (clock.now() - receivedAt) * 1_000;
    metrics.request(type, code, took_ms);
    const counts = outcome.ok ? outcome.value.counts : undefined;
    span.end(code, counts?.returned ?? counts?.deleted);
    if (audit === undefined) return;
    const sizes = { request_bytes: requestBytes, reply_bytes: replyBytes };
    const record = { ts: receivedAt, type, id: reqId, code, counts, took_ms, ...sizes };
    audit.request(record, address, request, outcome);
  }
}

/** Frozen, so that the bus encodes them once. */
const CONTENT_TYPE_HEADERS: Readonly<Record<Encoding, HeaderMap>> = {
  json: Object.freeze({ [CONTENT_TYPE_HEADER]: CONTENT_TYPES.json }),
  msgpack: Object.freeze({ [CONTENT_TYPE_HEADER]: CONTENT_TYPES.msgpack }),
};

function headersOf(encoding: Encoding, outcome: Outcome<Reply>): HeaderMap {
  const contentType = CONTENT_TYPE_HEADERS[encoding];
  return outcome.ok ? contentType : { ...contentType, ...errorHeaders(outcome.error) };
}
