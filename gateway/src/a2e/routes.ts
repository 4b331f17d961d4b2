import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, isMemoryError, type Logger, MemoryError } from "@membus/protocol";
import type { Figures } from "../health/figures.js";
import type { Refusals } from "../health/refusals.js";
import { readBody } from "../http/body.js";
import { EventStream } from "../http/event-stream.js";
import { answerJson, type Route } from "../http/http-server.js";
import { type Answer, type Dispatcher, PARALLEL_MAX } from "./dispatcher.js";
import { type A2eMessage, errorLines, idAtHead, parseMessage } from "./message.js";
import type { Outbox } from "./outbox.js";
import type { Session, Sessions } from "./sessions.js";

export interface A2eRoutesDependencies {
  readonly sessions: Sessions;
  readonly dispatcher: Dispatcher;
  readonly outbox: Outbox;
  readonly figures: Figures;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A message of the bus may have so much, of which the envelope needs some. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Of messages in the figures; what else a client says a type is counts as "other". */
const TYPES: ReadonlySet<string> = new Set([
  ...["handshake/req", "ping", "shutdown"],
  ...["init", "store", "retrieve", "forget"].map((name) => `memory/${name}/req`),
]);

/** A2E over HTTP: a client posts its messages and reads the replies from one stream. */
export class A2eRoutes {
  readonly #dependencies: A2eRoutesDependencies;
  readonly #streamBytesMax: number;
  readonly #underWay = new Map<string, number>();
  readonly #work = new Set<Promise<void>>();

  constructor(dependencies: A2eRoutesDependencies, { streamBytesMax }: { readonly streamBytesMax: number }) {
    this.#dependencies = dependencies;
    this.#streamBytesMax = streamBytesMax;
  }

  /** Undefined for a path that is none of A2E's. */
  find(method: string | undefined, path: string): Route | undefined {
    const answer = this.#answerOf(method, path);
    return answer && { name: path, answer };
  }

  #answerOf(method: string | undefined, path: string): Route["answer"] | undefined {
    switch (`${method} ${path}`) {
      case "POST /session":
        return (_, response) => this.#createSession(response);
      case "GET /stream":
        return (request, response) => this.#openStream(request, response);
      case "POST /send":
        return (request, response) => this.#send(request, response);
      case "GET /health":
        return async (_, response) => answerJson(response, 200, { status: "ok" });
      default:
        return undefined;
    }
  }

  /** Resolves when every message that was taken is answered. */
  async idle(): Promise<void> {
    await Promise.all(this.#work);
  }

  async #createSession(response: ServerResponse): Promise<void> {
    try {
      answerJson(response, 200, { session_id: await this.#dependencies.sessions.create() });
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      if (error.code === "overloaded") this.#dependencies.refusals.add("sessions");
      answerJson(response, 503, { error: error.message });
    }
  }

  async #openStream(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await this.#sessionOf(request, response);
    if (session === undefined) return;
    const { outbox, sessions, refusals, logger } = this.#dependencies;
    const { digest } = session;
    const stream = new EventStream(response, this.#streamBytesMax, () => {
      logger.warn({ session: digest }, "a reader is too slow: its session ends");
      refusals.add("slow_reader");
      sessions.end(session).catch((error: unknown) => logger.error({ err: error }, "a session did not end"));
    });
    response.on("close", () => outbox.detach(digest, stream));
    outbox.attach(digest, stream);
  }

  /** The answer says that the message has come, and no more: a client for whom it fails three times is done for. */
  async #send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await this.#sessionOf(request, response);
    if (session === undefined) return;
    const { bytes, isWhole } = await readBody(request, BODY_BYTES_MAX);
    answerJson(response, 200, { ok: true });
    const work = this.#take(session, bytes.toString("utf8"), isWhole).catch((error: unknown) => {
      this.#dependencies.logger.error({ err: error }, "a message was not answered");
    });
    this.#work.add(work);
    await work;
    this.#work.delete(work);
  }

  async #take(session: Session, text: string, isWhole: boolean): Promise<void> {
    const { outbox } = this.#dependencies;
    const { digest } = session;
    const underWay = this.#underWay.get(digest) ?? 0;
    this.#underWay.set(digest, underWay + 1);
    try {
      const { lines, ends = false } = await this.#answer(session, text, { isWhole, underWay });
      if (lines !== undefined) await outbox.send(digest, lines);
      if (ends) outbox.end(digest);
    } finally {
      const left = this.#underWay.get(digest)! - 1;
      if (left > 0) this.#underWay.set(digest, left);
      else this.#underWay.delete(digest);
    }
  }

  async #answer(session: Session, text: string, came: Came): Promise<Answer> {
    const { dispatcher, figures, refusals, clock } = this.#dependencies;
    const begunAt = clock.now();
    let type = "other";
    const answered = (answer: Answer): Answer => {
      figures.messageAnswered(type, answer.code, clock.now() - begunAt);
      return answer;
    };
    try {
      const message = read(text, came);
      if (TYPES.has(message.type)) type = message.type;
      const answer = answered(await dispatcher.answer(session, message));
      if (answer.code === "auth_failed") refusals.add("unknown_token");
      return answer;
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      if (error.code === "too_large") refusals.add("message_bytes");
      if (error.code === "overloaded") refusals.add("session_requests");
      return answered({ lines: errorLines(error, idAtHead(text), clock.now()), code: error.code });
    }
  }

  async #sessionOf({ headers }: IncomingMessage, response: ServerResponse): Promise<Session | undefined> {
    const id = headers["x-session-id"];
    if (typeof id !== "string" || id === "") {
      this.#dependencies.refusals.add("no_session");
      answerJson(response, 400, { error: "X-Session-Id is missing" });
      return undefined;
    }
    const session = await this.#dependencies.sessions.find(id);
    if (session === undefined) {
      this.#dependencies.refusals.add("unknown_session");
      answerJson(response, 404, { error: "no such session" });
    }
    return session;
  }
}

/** How a message came. */
interface Came {
  readonly isWhole: boolean;
  /** Messages of its session that are being answered. */
  readonly underWay: number;
}

/** @throws {MemoryError} for a message that is not taken. */
function read(text: string, { isWhole, underWay }: Came): A2eMessage {
  if (!isWhole) {
    const message = `a message has at most ${BODY_BYTES_MAX} bytes`;
    throw new MemoryError("too_large", message, { limit: "messageBytes", max: BODY_BYTES_MAX });
  }
  if (underWay >= PARALLEL_MAX) {
    const message = `a session has at most ${PARALLEL_MAX} requests under way`;
    throw new MemoryError("overloaded", message, { retry_after_ms: 100 });
  }
  return parseMessage(text);
}
