import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { OpenRequest } from "./open-request.js";

/** The body of a request, at most as long as its bound. */
export interface Body {
  /** Truncated at the bound. */
  readonly bytes: Buffer;
  /** False if the body was longer than the bound. */
  readonly isWhole: boolean;
}

export interface HttpEnv {
  Bindings: HttpBindings & {
    /** The target or the `Host` is no part of a URL: the checks run, and no route matches. */
    readonly hasInvalidUrl?: boolean;
  };
  Variables: {
    openRequest: OpenRequest;
    /** Set by `boundedBody`. */
    body: Body;
    /** Unix seconds at which the access token of the caller expires. */
    expiresAt: number | undefined;
    /** Replaces the route's path as the label in the metrics. */
    routeLabel: string | undefined;
  };
}

export type HttpApp = Hono<HttpEnv>;
/** A context without the members that tie it to the variables of one route. */
export type HttpContext = Pick<
  Context<HttpEnv>,
  "env" | "get" | "req" | "header" | "newResponse" | "body" | "notFound"
>;

/** Creates an app that routes by the path exactly as the client sent it: neither decoded nor normalised. */
export function createApp(): HttpApp {
  return new Hono<HttpEnv>({ getPath: (_, options) => pathOf(options?.env as HttpEnv["Bindings"]) });
}

/** Returns a JSON response that is not cached. */
export function jsonResponse(c: HttpContext, status: number, body: object): Response {
  return c.newResponse(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  } as never);
}

function pathOf({ incoming, hasInvalidUrl = false }: HttpEnv["Bindings"]): string {
  return hasInvalidUrl ? "" : incoming.url!.split("?", 1)[0]!;
}
