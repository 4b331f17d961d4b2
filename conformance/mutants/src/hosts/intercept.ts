import {
  CONTENT_TYPES,
  decodeMessage,
  detectEncoding,
  type Encoding,
  type ErrorCode,
  type ErrorDetail,
  encodeMessage,
  errorFields,
  errorHeaders,
  MemoryError,
  type Message,
  readableId,
} from "@membus/protocol";
import type { Bus, BusMessage, HeaderMap } from "@membus/protocol/plugin";

export interface Sent {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly headers?: HeaderMap;
  readonly reply?: string;
}

export interface Route {
  readonly subject: string;
  readonly queue?: string | undefined;
}

/** Handlers for the messages between a host and its bus. Absent handlers change nothing. */
export interface Interception {
  /**
   * Called for every message to the host, including discovery. The host receives each message passed to
   * `deliver`.
   */
  receive?(message: BusMessage, deliver: (message: BusMessage) => void | Promise<void>): void | Promise<void>;
  /** Called for every message that the host publishes: replies, events, discovery answers. */
  publish?(sent: Sent, publish: (sent: Sent) => void): void;
  /** Replaces a subscription of the host. */
  subscribe?(route: Route): Route;
}

/** Wraps the bus of a mutant's host. Interceptions can be nested. */
export function intercept(bus: Bus, { receive, publish, subscribe }: Interception): Bus {
  const passOn = ({ subject, payload, ...options }: Sent) => bus.publish(subject, payload, options);
  return {
    get maxPayloadBytes() {
      return bus.maxPayloadBytes;
    },
    get inboxPrefix() {
      return bus.inboxPrefix;
    },
    get state() {
      return bus.state;
    },
    publish(subject, payload, options = {}) {
      const sent = { subject, payload, ...options };
      if (publish === undefined) passOn(sent);
      else publish(sent, passOn);
    },
    subscribe(subject, onMessage, options = {}) {
      const route = subscribe?.({ subject, ...options }) ?? { subject, ...options };
      const { queue } = route;
      const onArrival = receive ? (message: BusMessage) => receive(message, onMessage) : onMessage;
      return bus.subscribe(route.subject, onArrival, queue === undefined ? {} : { queue });
    },
    request: (subject, payload, options) => bus.request(subject, payload, options),
    requestMany: (subject, payload, options) => bus.requestMany(subject, payload, options),
    onState: (listener) => bus.onState(listener),
    flush: () => bus.flush(),
    close: () => bus.close(),
  };
}

/** A decoded message. It is encoded again after a change. */
export interface Read {
  readonly message: Message;
  readonly encoding: Encoding;
  readonly headers: HeaderMap;
}

export interface ReadReply extends Read {
  /** Request as it reached the host, with its fields if they can be read. */
  readonly request: BusMessage;
  readonly asked: Message | undefined;
}

function read({ payload, headers = {} }: Pick<Sent, "payload" | "headers">): Read | undefined {
  const decoded = decodeMessage(payload, { contentType: headers["Content-Type"] });
  return decoded.ok ? { message: decoded.message, encoding: decoded.encoding, headers } : undefined;
}

function written({ message, encoding, headers }: Read) {
  return { payload: encodeMessage(message, encoding), headers };
}

function isRequest({ subject }: Pick<BusMessage, "subject">): boolean {
  return !subject.startsWith("$SRV.");
}

/** Intercepts requests. The host receives each message that is delivered. */
export function interceptRequests(
  bus: Bus,
  receive: (message: BusMessage, deliver: (message: BusMessage) => void) => void,
): Bus {
  return intercept(bus, {
    receive: (message, deliver) => (isRequest(message) ? receive(message, deliver) : deliver(message)),
  });
}

/** Rewrites the bytes, headers, subject or reply subject of requests. */
export function rewriteRawRequests(bus: Bus, change: (message: BusMessage) => BusMessage): Bus {
  return interceptRequests(bus, (message, deliver) => deliver(change(message)));
}

/** Rewrites the fields of requests and keeps their encoding. Unreadable messages stay unchanged. */
export function rewriteRequests(bus: Bus, change: (fields: Message, message: BusMessage) => Message): Bus {
  return rewriteRawRequests(bus, (message) => {
    const request = read(message);
    if (request === undefined) return message;
    return { ...message, ...written({ ...request, message: change(request.message, message) }) };
  });
}

/** Rewrites the bytes of requests. Each byte is one character of the text. */
export function rewriteBytes(bus: Bus, change: (text: string, message: BusMessage) => string): Bus {
  return rewriteRawRequests(bus, (message) => {
    const text = change(Buffer.from(message.payload).toString("latin1"), message);
    return { ...message, payload: Buffer.from(text, "latin1") };
  });
}

/** Drops requests before they reach the host. */
export function dropRequests(
  bus: Bus,
  isDropped: (message: BusMessage, fields: Message | undefined) => boolean,
): Bus {
  return interceptRequests(bus, (message, deliver) => {
    if (!isDropped(message, read(message)?.message)) deliver(message);
  });
}

/** Refuses requests with a code, although the host would accept them. */
export function refuseRequests(
  bus: Bus,
  why: (fields: Message | undefined, message: BusMessage) => ErrorCode | undefined,
): Bus {
  return interceptRequests(bus, (message, deliver) => {
    const fields = read(message)?.message;
    const code = why(fields, message);
    if (code === undefined) deliver(message);
    else sendError(bus, message, fields, new MemoryError(code, "refused by a mutant", DETAILS[code]));
  });
}

const DETAILS: Readonly<Partial<Record<ErrorCode, ErrorDetail>>> = {
  schema_violation: { path: "" },
  too_large: { limit: "mutant", max: 0, got: 1 },
};

export function sendError(
  bus: Bus,
  request: BusMessage,
  fields: Message | undefined,
  error: MemoryError,
  encoding = detectEncoding(request.payload, request.headers["Content-Type"]),
): void {
  const head = { type: "error", id: "refusal", version: "1.0", ts: 1_753_776_000.5 };
  const message = { ...head, req_id: readableId(fields), ...errorFields(error), capability_name: "memory" };
  const headers = { "Content-Type": CONTENT_TYPES[encoding], ...errorHeaders(error) };
  if (request.reply !== undefined) bus.publish(request.reply, encodeMessage(message, encoding), { headers });
}

/** Intercepts replies. The caller receives each reply that is sent. */
export function interceptReplies(
  bus: Bus,
  publish: (reply: ReadReply, send: (reply: Read) => void) => void,
): Bus {
  const requests = new Map<string, BusMessage>();
  return intercept(bus, {
    receive(message, deliver) {
      if (isRequest(message) && message.reply !== undefined) requests.set(message.reply, message);
      return deliver(message);
    },
    publish(sent, passOn) {
      const request = requests.get(sent.subject);
      const reply = read(sent);
      if (request === undefined || reply === undefined) return passOn(sent);
      requests.delete(sent.subject);
      const whole = { ...reply, request, asked: read(request)?.message };
      publish(whole, (changed) => passOn({ ...sent, ...written(changed) }));
    },
  });
}

/** Rewrites the fields of replies, including errors. */
export function rewriteReplies(bus: Bus, change: (message: Message, reply: ReadReply) => Message): Bus {
  return interceptReplies(bus, (reply, send) => send({ ...reply, message: change(reply.message, reply) }));
}

export function rewriteErrors(bus: Bus, change: (error: Message, reply: ReadReply) => Message): Bus {
  return rewriteReplies(bus, (message, reply) =>
    message.type === "error" ? change(message, reply) : message,
  );
}

export function rewriteReplyHeaders(
  bus: Bus,
  change: (headers: HeaderMap, reply: ReadReply) => HeaderMap,
): Bus {
  return interceptReplies(bus, (reply, send) => send({ ...reply, headers: change(reply.headers, reply) }));
}

export function dropReplies(bus: Bus, isDropped: (reply: ReadReply) => boolean): Bus {
  return interceptReplies(bus, (reply, send) => {
    if (!isDropped(reply)) send(reply);
  });
}

/** Intercepts events. Each event is published under the given subject. */
export function interceptEvents(
  bus: Bus,
  publish: (event: Message, sent: Sent, send: (event: Message, subject?: string) => void) => void,
): Bus {
  return intercept(bus, {
    publish(sent, passOn) {
      const event = sent.subject.includes(".events.") ? read(sent) : undefined;
      if (event === undefined) return passOn(sent);
      publish(event.message, sent, (message, subject = sent.subject) =>
        passOn({ ...sent, subject, ...written({ ...event, message }) }),
      );
    },
  });
}

/** Rewrites the fields of events. */
export function rewriteEvents(bus: Bus, change: (event: Message, sent: Sent) => Message): Bus {
  return interceptEvents(bus, (event, sent, send) => send(change(event, sent)));
}

/** Rewrites the answers to `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS`. Undefined drops an answer. */
export function rewriteServices(bus: Bus, change: (answer: Message) => Message | undefined): Bus {
  return intercept(bus, {
    publish(sent, passOn) {
      const answer = read(sent);
      const isService = String(answer?.message.type).startsWith("io.nats.micro.");
      if (answer === undefined || !isService) return passOn(sent);
      const message = change(answer.message);
      if (message !== undefined) passOn({ ...sent, ...written({ ...answer, message }) });
    },
  });
}

/** Rewrites the metadata in `$SRV.INFO`. */
export function withMetadata(
  change: (metadata: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>,
) {
  return (bus: Bus) =>
    rewriteServices(bus, (answer) => {
      if (!`${answer.type}`.includes(".info_")) return answer;
      return { ...answer, metadata: change(answer.metadata as Record<string, string>) } as Message;
    });
}
