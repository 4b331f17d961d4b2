import {
  type Bus,
  type BusMessage,
  CONTENT_TYPES,
  decodeMessage,
  detectEncoding,
  type Encoding,
  type ErrorCode,
  type ErrorDetail,
  encodeMessage,
  errorFields,
  errorHeaders,
  type HeaderMap,
  MemoryError,
  type Message,
  readableId,
} from "@membus/protocol";

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

/** What may happen to messages between a host and its bus. What is absent stays as it is. */
export interface Interception {
  /** Of everything that reaches the host, discovery included: it gets what `deliver` is called with, as often. */
  receive?(message: BusMessage, deliver: (message: BusMessage) => void | Promise<void>): void | Promise<void>;
  /** Of everything that the host publishes: replies, events, answers to discovery. */
  publish?(sent: Sent, publish: (sent: Sent) => void): void;
  /** In place of what the host subscribes to. */
  subscribe?(route: Route): Route;
}

/** The bus that a mutant's host gets. Interceptions are put over each other by nesting. */
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

/** A message that is read: changed and encoded again, it is what goes on. */
export interface Read {
  readonly message: Message;
  readonly encoding: Encoding;
  readonly headers: HeaderMap;
}

export interface ReadReply extends Read {
  /** What it answers, as it reached the host; and its fields, where they can be read. */
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

/** The requests, as they came: what is delivered is what the host gets. */
export function interceptRequests(
  bus: Bus,
  receive: (message: BusMessage, deliver: (message: BusMessage) => void) => void,
): Bus {
  return intercept(bus, {
    receive: (message, deliver) => (isRequest(message) ? receive(message, deliver) : deliver(message)),
  });
}

/** Other bytes, headers, subject or reply subject of requests than were sent. */
export function rewriteRawRequests(bus: Bus, change: (message: BusMessage) => BusMessage): Bus {
  return interceptRequests(bus, (message, deliver) => deliver(change(message)));
}

/** Other fields than were sent, in the encoding that they were sent in. What cannot be read stays as it is. */
export function rewriteRequests(bus: Bus, change: (fields: Message, message: BusMessage) => Message): Bus {
  return rewriteRawRequests(bus, (message) => {
    const request = read(message);
    if (request === undefined) return message;
    return { ...message, ...written({ ...request, message: change(request.message, message) }) };
  });
}

/** Other bytes than were sent: each byte is one character of the text. */
export function rewriteBytes(bus: Bus, change: (text: string, message: BusMessage) => string): Bus {
  return rewriteRawRequests(bus, (message) => {
    const text = change(Buffer.from(message.payload).toString("latin1"), message);
    return { ...message, payload: Buffer.from(text, "latin1") };
  });
}

/** Requests that never reach the host. */
export function dropRequests(
  bus: Bus,
  isDropped: (message: BusMessage, fields: Message | undefined) => boolean,
): Bus {
  return interceptRequests(bus, (message, deliver) => {
    if (!isDropped(message, read(message)?.message)) deliver(message);
  });
}

/** Requests that are refused with a code, although the host would not. */
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

/** Of every reply: what is sent is what the requester gets. */
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

/** Other fields of replies, errors included. */
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

/** Of every event: what is sent is published, under the subject it is given. */
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

/** Other fields of events. */
export function rewriteEvents(bus: Bus, change: (event: Message, sent: Sent) => Message): Bus {
  return interceptEvents(bus, (event, sent, send) => send(change(event, sent)));
}

/** Other fields of the answers to `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS`; undefined sends none. */
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

/** A host of which `$SRV.INFO` gives other metadata. */
export function withMetadata(
  change: (metadata: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>,
) {
  return (bus: Bus) =>
    rewriteServices(bus, (answer) => {
      if (!`${answer.type}`.includes(".info_")) return answer;
      return { ...answer, metadata: change(answer.metadata as Record<string, string>) } as Message;
    });
}
