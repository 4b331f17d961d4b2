import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, isMemoryError, type Logger, MemoryError } from "@membus/protocol";
import { readBody } from "../http/body.js";
import { EventStream } from "../http/event-stream.js";
import { answerJson } from "../http/http-server.js";
import { type Dispatcher, PARALLEL_MAX } from "./dispatcher.js";
import { type A2eMessage, errorLines, idAtHead, parseMessage } from "./message.js";
import type { Outbox } from "./outbox.js";
import type { Session, Sessions } from "./sessions.js";

export interface A2eRoutesDependencies {
  readonly sessions: Sessions;
  readonly dispatcher: Dispatcher;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A message of the bus may have so much, of which the envelope needs some. */
const BODY_BYTES_MAX = 1024 * 1024;

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
  find(
    method: string | undefined,
    path: string,
  ): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined {
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
      answerJson(response, 503, { error: error.message });
    }
  }

  async #openStream(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await this.#sessionOf(request, response);
    if (session === undefined) return;
    const { outbox, sessions, logger } = this.#dependencies;
    const { digest } = session;
    const stream = new EventStream(response, this.#streamBytesMax, () => {
      logger.warn({ session: digest }, "a reader is too slow: its session ends");
      void sessions.end(session);
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
    const { dispatcher, outbox, clock } = this.#dependencies;
    const { digest } = session;
    const underWay = this.#underWay.get(digest) ?? 0;
    this.#underWay.set(digest, underWay + 1);
    try {
      const message = read(text, isWhole, underWay);
      const { lines, ends = false } = await dispatcher.answer(session, message);
      if (lines !== undefined) await outbox.send(digest, lines);
      if (ends) outbox.end(digest);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      await outbox.send(digest, errorLines(error, idAtHead(text), clock.now()));
    } finally {
      const left = this.#underWay.get(digest)! - 1;
      if (left > 0) this.#underWay.set(digest, left);
      else this.#underWay.delete(digest);
    }
  }

  async #sessionOf({ headers }: IncomingMessage, response: ServerResponse): Promise<Session | undefined> {
    const id = headers["x-session-id"];
    if (typeof id !== "string" || id === "") {
      answerJson(response, 400, { error: "X-Session-Id is missing" });
      return undefined;
    }
    const session = await this.#dependencies.sessions.find(id);
    if (session === undefined) answerJson(response, 404, { error: "no such session" });
    return session;
  }
}

/** @throws {MemoryError} for a message that is not taken. */
function read(text: string, isWhole: boolean, underWay: number): A2eMessage {
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
