import { type Clock, InFlightCounter } from "@membus/protocol";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { HttpEnv } from "./http-context.js";
import { OpenRequest } from "./open-request.js";

/** A request that has ended, as metrics count it. */
export interface EndedRequest {
  /** Path of the route without its parameters, "none" if no route matched. */
  readonly route: string;
  /** "aborted" if the client left before the response. */
  readonly status: number | "aborted";
  /** From receipt to the end of the response. Absent for a stream. */
  readonly seconds: number | undefined;
}

/** Tracks the requests that are being answered, for metrics and for shutdown. */
export class RequestTracker {
  readonly #open = new InFlightCounter();
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
    void this.#open.track(request.ended);
    void request.closed.then(() => {
      const status = outgoing.headersSent ? outgoing.statusCode : "aborted";
      const seconds = request.isStream ? undefined : this.#clock.now() - startedAt;
      this.#onEnd({ route: routeOf(c), status, seconds });
    });
    const handled = next();
    request.addWork(handled);
    await handled;
  };

  /** Resolves when no request is open. */
  idle(): Promise<void> {
    return this.#open.idle();
  }
}

/** The path of a middleware is "/*". */
function routeOf(c: Context<HttpEnv>): string {
  const path = matchedRoutes(c).findLast((route) => route.path !== "/*")?.path;
  if (path === undefined) return "none";
  return c.get("routeLabel") ?? (path.replace(/\/[:*].*/, "") || "/");
}
