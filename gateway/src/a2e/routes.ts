import {
  EventStream,
  type HttpApp,
  type HttpContext,
  type HttpEnv,
  jsonResponse,
  networkOf,
  RequestPool,
  readBody,
} from "@membus/http";
import { type Clock, isMemoryError, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { MiddlewareHandler } from "hono";
import type { GatewayMetrics } from "../health/gateway-metrics.js";
import type { Refusals } from "../health/refusals.js";
import { type Answer, type Dispatcher, PARALLEL_MAX } from "./dispatcher.js";
import { type A2eMessage, errorLines, idAtHead, parseMessage } from "./message.js";
import type { Outbox } from "./outbox.js";
import type { Session, Sessions } from "./sessions.js";

export interface A2eRoutesDependencies {
  readonly sessions: Sessions;
  readonly dispatcher: Dispatcher;
  readonly outbox: Outbox;
  readonly metrics: GatewayMetrics;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Largest message, in bytes: a message on NATS has this limit, and the envelope needs a part of it. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Largest message before the handshake, in bytes. */
const PENDING_BODY_BYTES_MAX = 64 * 1024;
/** Bytes of the open messages of one agent, and of all agents together. */
const AGENT_BYTES_MAX = 16 * BODY_BYTES_MAX;
const AGENTS_BYTES_MAX = 256 * BODY_BYTES_MAX;
/** Bytes of the open messages before a handshake, of one address and of all addresses together. */
const ADDRESS_BYTES_MAX = 16 * PENDING_BODY_BYTES_MAX;
const ADDRESSES_BYTES_MAX = 1_024 * PENDING_BODY_BYTES_MAX;
/** Open messages of all sessions. */
const MESSAGES_MAX = 20_000;
/** Message types with a separate metric label. Other types are counted as "other". */
const TYPES: ReadonlySet<string> = new Set([
  ...["handshake/req", "ping", "shutdown"],
  ...["init", "store", "retrieve", "forget"].map((name) => `memory/${name}/req`),
]);

/** A2E over HTTP: a client posts its messages and reads the replies from one stream. */
export class A2eRoutes {
  readonly #dependencies: A2eRoutesDependencies;
  readonly #streamBytesMax: number;
  /** Number of messages that are being answered, by session. */
  readonly #openMessages = new Map<string, number>();
  /** The bodies of messages after and before the handshake. */
  readonly #bodies = new RequestPool({
    ...{ countMax: MESSAGES_MAX, bodyBytesMax: BODY_BYTES_MAX },
    ...{ bodiesBytesMax: AGENTS_BYTES_MAX, callerBytesMax: AGENT_BYTES_MAX },
  });
  readonly #pendingBodies = new RequestPool({
    ...{ countMax: MESSAGES_MAX, bodyBytesMax: PENDING_BODY_BYTES_MAX },
    ...{ bodiesBytesMax: ADDRESSES_BYTES_MAX, callerBytesMax: ADDRESS_BYTES_MAX },
  });

  constructor(dependencies: A2eRoutesDependencies, { streamBytesMax }: { readonly streamBytesMax: number }) {
    this.#dependencies = dependencies;
    this.#streamBytesMax = streamBytesMax;
  }

  /** Bytes that are reserved for the bodies of open messages. */
  get bodyBytes(): number {
    return this.#bodies.bodyBytes + this.#pendingBodies.bodyBytes;
  }

  addTo(app: HttpApp): void {
    app.post("/session", (c) => this.#createSession(c));
    app.get("/stream", this.#requireSession, (c) => this.#openStream(c, c.get("session")));
    app.post("/send", this.#requireSession, this.#receive, (c) => this.#send(c, c.get("session")));
    app.get("/health", (c) => jsonResponse(c, 200, { status: "ok" }));
  }

  async #createSession(c: HttpContext): Promise<Response> {
    try {
      const { remoteAddress = "" } = c.env.incoming.socket;
      return jsonResponse(c, 200, { session_id: await this.#dependencies.sessions.create(remoteAddress) });
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      if (error.code === "overloaded") this.#dependencies.refusals.add("sessions");
      return jsonResponse(c, 503, { error: error.message });
    }
  }

  #openStream(c: HttpContext, session: Session): Response {
    const { outbox, sessions, refusals, logger } = this.#dependencies;
    const { digest } = session;
    const stream = new EventStream(c, this.#streamBytesMax, () => {
      logger.warn({ session: digest }, "ended the session of a client that reads its stream too slowly");
      refusals.add("slow_reader");
      sessions
        .end(session)
        .catch((error: unknown) =>
          logger.error({ err: error }, "failed to end the session of a slow client"),
        );
    });
    void c.get("openRequest").closed.then(() => outbox.detach(digest, stream));
    outbox.attach(digest, stream);
    return stream.response;
  }

  /** Acknowledges the message at once: the SDK gives its transport up after three failed posts. The reply goes to the stream. */
  #send(c: HttpContext, session: Session): Response {
    const { bytes, isWhole } = c.get("body");
    const work = this.#take(session, bytes.toString("utf8"), isWhole).catch((error: unknown) => {
      this.#dependencies.logger.error({ err: error }, "failed to answer a message");
    });
    c.get("openRequest").addWork(work);
    return jsonResponse(c, 200, { ok: true });
  }

  async #take(session: Session, text: string, isWhole: boolean): Promise<void> {
    const { outbox } = this.#dependencies;
    const { digest } = session;
    const openCount = this.#openMessages.get(digest) ?? 0;
    this.#openMessages.set(digest, openCount + 1);
    try {
      const bytesMax = session.identity === undefined ? PENDING_BODY_BYTES_MAX : BODY_BYTES_MAX;
      const received = { isWhole, bytesMax, openCount };
      const { lines, ends = false } = await this.#answer(session, text, received);
      if (lines !== undefined) await outbox.send(digest, lines);
      if (ends) outbox.end(digest);
    } finally {
      const left = this.#openMessages.get(digest)! - 1;
      if (left > 0) this.#openMessages.set(digest, left);
      else this.#openMessages.delete(digest);
    }
  }

  async #answer(session: Session, text: string, received: ReceivedMessage): Promise<Answer> {
    const { dispatcher, metrics, refusals, clock } = this.#dependencies;
    const startedAt = clock.now();
    let type = "other";
    const counted = (answer: Answer): Answer => {
      metrics.messageAnswered(type, answer.code, clock.now() - startedAt);
      return answer;
    };
    try {
      const message = read(text, received);
      if (TYPES.has(message.type)) type = message.type;
      const answer = counted(await dispatcher.answer(session, message));
      if (answer.code === "auth_failed") refusals.add("unknown_token");
      return answer;
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      if (error.code === "too_large") refusals.add("message_bytes");
      if (error.code === "overloaded") refusals.add("session_requests");
      return counted({ lines: errorLines(error, idAtHead(text), clock.now()), code: error.code });
    }
  }

  /** Reads the body, within the limits of the agent, or of the address before the handshake. */
  readonly #receive: MiddlewareHandler<SessionEnv> = async (c, next) => {
    const { identity } = c.get("session");
    const { remoteAddress = "" } = c.env.incoming.socket;
    const [pool, bytesMax, caller] =
      identity === undefined
        ? ([this.#pendingBodies, PENDING_BODY_BYTES_MAX, networkOf(remoteAddress)] as const)
        : ([this.#bodies, BODY_BYTES_MAX, `${identity.tenant} ${identity.agent}`] as const);
    const release = pool.reserve(c.env.incoming, caller);
    if (release === undefined) {
      this.#dependencies.refusals.add("message_bodies");
      return jsonResponse(c, 503, { error: "too many messages are being received, retry later" });
    }
    void c.get("openRequest").ended.then(release);
    c.set("body", await readBody(c.env.incoming, bytesMax));
    return next();
  };

  readonly #requireSession: MiddlewareHandler<SessionEnv> = async (c, next) => {
    const { sessions, refusals } = this.#dependencies;
    const id = c.env.incoming.headers["x-session-id"];
    if (typeof id !== "string" || id === "") {
      refusals.add("no_session");
      return jsonResponse(c, 400, { error: "X-Session-Id is missing" });
    }
    const session = await sessions.find(id);
    if (session === undefined) {
      refusals.add("unknown_session");
      return jsonResponse(c, 404, { error: "no such session" });
    }
    c.set("session", session);
    return next();
  };
}

interface SessionEnv extends HttpEnv {
  Variables: HttpEnv["Variables"] & { session: Session };
}

interface ReceivedMessage {
  readonly isWhole: boolean;
  readonly bytesMax: number;
  /** Number of other messages of the session that are being answered. */
  readonly openCount: number;
}

/** @throws {MemoryError} for a message that is rejected. */
function read(text: string, { isWhole, bytesMax, openCount }: ReceivedMessage): A2eMessage {
  if (!isWhole) {
    const message = `a message has at most ${bytesMax} bytes`;
    throw new MemoryError("too_large", message, { limit: "messageBytes", max: bytesMax });
  }
  if (openCount >= PARALLEL_MAX) {
    const message = `a session has at most ${PARALLEL_MAX} requests under way`;
    throw new MemoryError("overloaded", message, { retry_after_ms: 100 });
  }
  return parseMessage(text);
}
