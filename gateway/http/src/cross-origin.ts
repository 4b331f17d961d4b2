import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { HttpEnv } from "./http-context.js";

/** Seconds for which a browser keeps the answer to a preflight. */
const MAX_AGE_S = 600;
const REVISION = "MCP-Protocol-Version";

/** Lets pages of any origin read a public document. */
export const readableByAnyPage: MiddlewareHandler<HttpEnv> = cors({
  ...{ origin: "*", allowMethods: ["GET"], allowHeaders: [REVISION], maxAge: MAX_AGE_S },
});

/**
 * Lets pages of the allowed origins send messages of MCP and read the answers, without cookies.
 * @param isAllowed called only for a request that has an `Origin`.
 * @param allowHeaders headers of requests in addition to the usual headers of MCP.
 */
export function mcpCrossOrigin(
  isAllowed: (origin: string) => boolean,
  allowHeaders: readonly string[] = [],
): MiddlewareHandler<HttpEnv> {
  const answer = cors({
    origin: (origin) => origin,
    allowMethods: ["POST"],
    allowHeaders: [
      ...["Authorization", "Content-Type", REVISION, "Mcp-Method", "Mcp-Name", "Mcp-Session-Id"],
      ...["Last-Event-ID", ...allowHeaders],
    ],
    exposeHeaders: ["WWW-Authenticate", "Mcp-Session-Id", "Retry-After"],
    maxAge: MAX_AGE_S,
  });
  return (c, next) => {
    const { origin } = c.env.incoming.headers;
    return origin !== undefined && isAllowed(origin) ? answer(c, next) : next();
  };
}
