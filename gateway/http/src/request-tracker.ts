import type { Socket } from "node:net";
import type { Clock } from "@membus/protocol";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { HttpEnv } from "./http-context.js";

/** A request that has ended, as metrics count it. */
export interface EndedRequest {
  /** Path of the route without its parameters, "none" if no route matched. */
  readonly route: string;
  /** "aborted" if the client left before the response. */
  readonly status: number | "aborted";
  /** From receipt to the end of the response. Absent for a stream. */
  readonly seconds: number | undefined;
}

/** A request that is being answered. */
export class OpenRequest {
  /** Resolves when the response is sent, or the client has left. */
  readonly closed: Promise<void>;
  /** Resolves when the response is closed and all work is done, or the response has become a stream. */
  readonly ended: Promise<void>;
  #isStream = false;
  #pending = 0;
  #end = () => {};

  constructor({ incoming, outgoing }: HttpEnv["Bindings"]) {
    this.closed = new Promise((resolve) => {
      const stopWaiting = onClose(incoming.socket, resolve);
      outgoing.once("close", () => {
        stopWaiting();
        resolve();
      });
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.addWork(this.closed);
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** Keeps the request open until `work` is settled. */
  addWork(work: Promise<unknown>): void {
    this.#pending++;
    const done = () => {
      if (--this.#pending === 0) this.#end();
    };
    work.then(done, done);
  }

  /** Marks the response as a stream, which lasts as long as its client reads: shutdown and limits do not wait for it. */
  becomeStream(): void {
    this.#isStream = true;
    this.#end();
  }
}

/** Tracks the requests that are being answered, for metrics and for shutdown. */
export class RequestTracker {
  readonly #open = new Set<OpenRequest>();
  readonly #clock: Clock;
  readonly #onEnd: (ended: EndedRequest) => void;

  constructor(clock: Clock, onEnd: (ended: EndedRequest) => void = () => {}) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** The first middleware of an app. */
  readonly middleware: MiddlewareHandler<HttpEnv> = async (c, next) => {
    const startedAt = this.#clock.now();
    const { outgoing } = c.env;
    const request = new OpenRequest(c.env);
    c.set("openRequest", request);
    this.#open.add(request);
    void request.ended.then(() => this.#open.delete(request));
    void request.closed.then(() => {
      const status = outgoing.headersSent ? outgoing.statusCode : "aborted";
      const seconds = request.isStream ? undefined : this.#clock.now() - startedAt;
      this.#onEnd({ route: routeOf(c), status, seconds });
    });
    const handled = next();
    request.addWork(handled);
    await handled;
  };

  /** Resolves when all requests that are open now have ended. */
  async idle(): Promise<void> {
    await Promise.all([...this.#open].map(({ ended }) => ended));
  }
}

/** Functions to call when a connection closes. One listener for each connection serves all of its requests. */
const onCloseBySocket = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` when the connection closes. node:http reports that only to the response that is being sent, not to the
 * responses of pipelined requests behind it.
 * @returns a function that removes the listener.
 */
function onClose(socket: Socket, listener: () => void): () => void {
  if (socket.destroyed) listener();
  const listeners = onCloseBySocket.get(socket) ?? new Set();
  if (!onCloseBySocket.has(socket)) {
    onCloseBySocket.set(socket, listeners);
    socket.once("close", () => {
      for (const call of listeners) call();
    });
  }
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The path of a middleware is "/*". */
function routeOf(c: Context<HttpEnv>): string {
  const path = matchedRoutes(c).findLast((route) => route.path !== "/*")?.path;
  if (path === undefined) return "none";
  return c.get("routeLabel") ?? (path.replace(/\/[:*].*$/, "") || "/");
}
