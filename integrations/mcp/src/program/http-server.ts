import { createHash, timingSafeEqual } from "node:crypto";
import {
  bearerOf,
  type CallerRules,
  checkCaller,
  createApp,
  type HttpContext,
  type HttpServer,
  hostnameOf,
  isLoopback,
  isResourceMetadata,
  jsonResponse,
  listen,
  mcpCrossOrigin,
  type OAuthOptions,
  opensMcpStream,
  ProtectedResource,
  RequestTracker,
  requireBearer,
} from "@membus/http";
import { type Clock, withTimeout } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import type { ChangeNotices } from "../change-notices.js";
import { ChangeStreams } from "./change-streams.js";

const MCP_PATH = "/mcp";
const CONNECTIONS_MAX = 1_000;
/** Half of the connections remain for calls. A burst of thousands of changes fits into the bytes of a stream. */
const STREAM_LIMITS = { streamsMax: CONNECTIONS_MAX / 2, streamBytesMax: 1024 * 1024 };
/** Time for open requests at shutdown. */
const DRAIN_TIMEOUT_MS = 5_000;
const LIMITS = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };

export interface HttpOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Without a token and without `oauth` every caller is accepted, which is allowed only on loopback. */
  readonly token?: string | undefined;
  /** Accepts access tokens of an authorization server that name `agent`. */
  readonly oauth?: OAuthOptions | undefined;
  /** The agent that owns the memories. */
  readonly agent: string;
  /** Accepted host names in addition to loopback. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may call the server, or their host names. */
  readonly origins: readonly string[];
}

export interface HttpDependencies {
  readonly notices: ChangeNotices;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Serves streamable HTTP at `/mcp`. Closing the server answers the open requests and ends the streams.
 * @throws {TypeError} without a token or `oauth` on an address that is not loopback.
 * @throws {MemoryError} `unavailable` if it cannot listen.
 */
export async function serveHttp(
  factory: McpServerFactory,
  options: HttpOptions,
  { notices, clock, logger }: HttpDependencies,
): Promise<HttpServer> {
  const { host, port, token, oauth } = options;
  if (token === undefined && oauth === undefined && !isLoopback(host)) {
    throw new TypeError(`a token is needed to listen on ${host}: every client could read the memory`);
  }
  const onerror = (error: Error) => logger.warn({ err: error }, "rejected a request");
  const handler = createMcpHandler(factory, { onerror });
  const streams = new ChangeStreams({ factory, notices, clock, onerror }, STREAM_LIMITS);
  const tracker = new RequestTracker(clock);
  const app = createApp();
  app.use(
    tracker.middleware,
    checkCaller(callerRules(options), (c, cause) => jsonResponse(c, 403, { error: cause.replace("_", " ") })),
  );
  const resource = oauth && new ProtectedResource(oauth, { clock, logger });
  resource?.addTo(app);
  app.use(
    MCP_PATH,
    mcpCrossOrigin((origin) => isListed(origin, options.origins)),
  );
  app.all(MCP_PATH, resource ? requireAccess(resource, options) : requireToken(token), (c) =>
    opensMcpStream(c.env.incoming.headers) ? streams.answer(c, c.get("expiresAt")) : handler.fetch(c.req.raw),
  );
  app.notFound((c) => jsonResponse(c, 404, { error: `no such path, use ${MCP_PATH}` }));
  app.onError((error, c) => {
    logger.error({ err: error }, "failed to answer a request");
    return jsonResponse(c, 500, { error: "the server failed" });
  });
  const server = await listen(app, { host, port, connectionsMax: CONNECTIONS_MAX, limits: LIMITS });
  const drain = async () => {
    await Promise.all([streams.close(), handler.close()]);
    await withTimeout(clock, DRAIN_TIMEOUT_MS, tracker.idle());
  };
  return { url: server.url + MCP_PATH, close: () => server.close(drain) };
}

type Middleware = ReturnType<typeof requireBearer>;

function requireToken(token: string | undefined): Middleware {
  return requireBearer(
    (given) => token === undefined || isSame(given, token),
    (c, given) => {
      c.header("www-authenticate", "Bearer");
      const error = given === "" ? "a bearer token is needed" : "this token is not known";
      return jsonResponse(c, 401, { error });
    },
  );
}

/** Accepts the token, or access tokens of the agent: all callers share the memory of one agent. */
function requireAccess(
  resource: ProtectedResource,
  { token, agent }: Pick<HttpOptions, "token" | "agent">,
): Middleware {
  const refuse = (c: HttpContext, status: number, error: string) => jsonResponse(c, status, { error });
  return async (c, next) => {
    const given = bearerOf(c.env.incoming.headers);
    if (token !== undefined && isSame(given, token)) return next();
    const access = await resource.check(given);
    if ("agent" in access) {
      if (access.agent !== agent) return refuse(c, 403, "this server has the memory of another agent");
      c.set("expiresAt", access.expiresAt);
      return next();
    }
    resource.addHeaders(c, access);
    return refuse(c, access.status, access.reason);
  };
}

/** A page on loopback may send requests, but reads the answers only if its origin is listed. */
function callerRules({
  hosts,
  origins,
  oauth,
}: Pick<HttpOptions, "hosts" | "origins" | "oauth">): CallerRules {
  return {
    isHostAllowed: (host) => isLoopback(hostnameOf(host)) || hosts.includes(hostnameOf(host)),
    isOriginAllowed: (origin) => isLoopback(pageHostOf(origin)) || isListed(origin, origins),
    isPublic: (path) => oauth !== undefined && isResourceMetadata(path),
  };
}

function isListed(origin: string, origins: readonly string[]): boolean {
  const host = pageHostOf(origin);
  return host !== "" && (origins.includes(origin) || origins.includes(host));
}

/** Returns the host of a web page, "" if its origin is no URL. */
function pageHostOf(origin: string): string {
  return URL.canParse(origin) ? hostnameOf(new URL(origin).host) : "";
}

/** Compares digests, so that the duration reveals nothing about the token. */
function isSame(given: string, token: string): boolean {
  const [expected, got] = [token, given].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(expected!, got!);
}
