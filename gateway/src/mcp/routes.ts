import type { AgentMemory } from "@membus/agent-client";
import {
  BoundedStream,
  boundedBody,
  copyBody,
  endWithAccess,
  type HttpApp,
  type HttpContext,
  type HttpEnv,
  jsonResponse,
  limitRequests,
  mcpCrossOrigin,
  type OAuthOptions,
  opensMcpStream,
  ProtectedResource,
  RequestPool,
} from "@membus/http";
import type { ChangeNotices } from "@membus/mcp";
import { type Clock, isJsonObject, withTimeout } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { MiddlewareHandler } from "hono";
import type { Refusals } from "../health/refusals.js";
import type { TenantClients } from "../tenant-clients.js";
import type { Tokens } from "../tokens.js";
import { type CallerRefusal, callerOf, MCP_ROOT } from "./caller.js";

export interface McpRoutesDependencies {
  readonly tokens: Tokens;
  readonly clients: TenantClients;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface McpRoutesOptions {
  readonly mcpReadOnly: boolean;
  readonly streamBytesMax: number;
  readonly tenant: string;
  /** Origins of web pages that may call it. */
  readonly origins: readonly string[];
  readonly oauth?: OAuthOptions | undefined;
}

/** Time limit of each request to memory, retries included. Most clients give a call up after a minute. */
export const MCP_TIMEOUT_MS = 20_000;

/** Label of all streams in the metrics. */
const STREAM_LABEL = `${MCP_ROOT} subscriptions/listen`;
const REQUESTS_MAX = 512;
const REQUEST_BYTES_MAX = 4 * 1024 * 1024;
const REQUESTS_BYTES_MAX = 64 * 1024 * 1024;
const STREAMS_MAX = 1_000;
/** Largest request that opens a stream. It has room for some hundred resource names. */
const STREAM_REQUEST_BYTES_MAX = 64 * 1024;
/** Messages in one request of the 2025 revisions, which are answered together. */
const BATCH_MAX = 8;
/** Time in which a client has to read a complete answer. */
const READ_TIMEOUT_MS = 60_000;

interface McpEnv extends HttpEnv {
  Variables: HttpEnv["Variables"] & {
    memory: AgentMemory;
    /** The parsed body. */
    message: unknown;
  };
}

interface McpCall {
  readonly c: HttpContext;
  readonly memory: AgentMemory;
  readonly message: unknown;
  readonly expiresAt: number | undefined;
}

/** Answers one request. */
interface RequestServer {
  readonly handler: McpHttpHandler;
  readonly notices: ChangeNotices;
  /** Returns the latest error of the handler. */
  problem(): Error | undefined;
}

/** Serves memory to MCP clients over streamable HTTP. Each request has a separate server. */
export class McpRoutes {
  readonly #dependencies: McpRoutesDependencies;
  readonly #options: McpRoutesOptions;
  readonly #resource: ProtectedResource | undefined;
  readonly #pool = new RequestPool({
    countMax: REQUESTS_MAX,
    bodyBytesMax: REQUEST_BYTES_MAX,
    bodiesBytesMax: REQUESTS_BYTES_MAX,
  });
  readonly #answers = new Set<BoundedStream>();
  /** Open streams, with the functions that end them. */
  readonly #streams = new Map<BoundedStream, () => Promise<void>>();
  /** Open streams and those that are being opened. */
  #streamCount = 0;

  constructor(dependencies: McpRoutesDependencies, options: McpRoutesOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#resource = options.oauth && new ProtectedResource(options.oauth, dependencies);
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  /** Bytes that clients have not read yet. */
  get waitingBytes(): { readonly answers: number; readonly streams: number } {
    return { answers: waitingBytesOf(this.#answers), streams: waitingBytesOf(this.#streams.keys()) };
  }

  /** Bytes that are reserved for the bodies of open requests. */
  get bodyBytes(): number {
    return this.#pool.bodyBytes;
  }

  addTo(app: HttpApp): void {
    this.#resource?.addTo(app);
    const { origins } = this.#options;
    const limitCalls = limitRequests(this.#pool, (c) => this.#refuseOneMore(c));
    app.all(
      `${MCP_ROOT}/*`,
      mcpCrossOrigin((origin) => origins.includes(origin), ["X-Membus-Agent"]),
      this.#requireMemory,
      forStreams(this.#limitStreams, limitCalls),
      forStreams(this.#boundedBody(STREAM_REQUEST_BYTES_MAX), this.#boundedBody(REQUEST_BYTES_MAX)),
      this.#parseMessage,
      (c) => {
        const call = { c, memory: c.get("memory"), message: c.get("message"), expiresAt: c.get("expiresAt") };
        return opensStream(c) ? this.#answerStream(call) : this.#answerCall(call);
      },
    );
  }

  /** Ends every stream. */
  async close(): Promise<void> {
    await Promise.all([...this.#streams.values()].map((end) => end()));
  }

  readonly #requireMemory: MiddlewareHandler<McpEnv> = async (c, next) => {
    const { tokens, clients } = this.#dependencies;
    const { headers, method } = c.env.incoming;
    const checks = { tokens, resource: this.#resource, tenant: this.#options.tenant };
    const caller = await callerOf(c.req.path, headers, checks);
    if ("status" in caller) return this.#refuse(c, caller);
    if (method !== "POST") {
      c.header("allow", "POST");
      return jsonResponse(c, 405, { error: "messages are sent by POST" });
    }
    const memory = await clients.of(caller.identity);
    c.set("memory", memory.inNamespace(caller.namespace));
    c.set("expiresAt", caller.expiresAt);
    return next();
  };

  #refuse(c: HttpContext, { status, error, access }: CallerRefusal): Response {
    const { refusals } = this.#dependencies;
    if (status === 401) refusals.add("unknown_token");
    if (status === 403) refusals.add("no_grant");
    if (status === 503) refusals.add("issuer_unavailable");
    if (access !== undefined) this.#resource!.addHeaders(c, access);
    else if (status === 401) c.header("www-authenticate", "Bearer");
    return jsonResponse(c, status, { error });
  }

  readonly #limitStreams: MiddlewareHandler<HttpEnv> = async (c, next) => {
    c.set("routeLabel", STREAM_LABEL);
    if (this.#streamCount >= STREAMS_MAX) return this.#refuseOneMore(c);
    this.#streamCount++;
    void c.get("openRequest").closed.then(() => this.#streamCount--);
    return next();
  };

  readonly #parseMessage: MiddlewareHandler<McpEnv> = async (c, next) => {
    const message = parsed(c.get("body").bytes);
    if (message === undefined) return rpcError(c, -32_700, "Parse error: the body is no JSON");
    if (Array.isArray(message) && message.length > BATCH_MAX) {
      this.#dependencies.refusals.add("mcp_requests");
      return rpcError(c, -32_600, `Invalid Request: a batch has at most ${BATCH_MAX} messages`);
    }
    c.set("message", message);
    return next();
  };

  async #answerCall(call: McpCall): Promise<Response> {
    const { c, memory } = call;
    const answer = await this.#ask(await this.#serverFor(memory), call);
    const stream = new BoundedStream(c, this.#options.streamBytesMax);
    const request = c.get("openRequest");
    this.#answers.add(stream);
    void request.closed.then(() => this.#answers.delete(stream));
    request.addWork(this.#send(answer, stream).then(() => this.#untilRead(c)));
    return responseWith(answer, stream);
  }

  /** An answer that is not read occupies a place among the open requests, but not forever. */
  async #untilRead(c: HttpContext): Promise<void> {
    const { clock, refusals } = this.#dependencies;
    const closed = c.get("openRequest").closed.then(() => true);
    if (await withTimeout(clock, READ_TIMEOUT_MS, closed)) return;
    refusals.add("slow_reader");
    c.env.outgoing.destroy();
  }

  /** Watches for changes before the client learns that the stream is open. */
  async #answerStream(call: McpCall): Promise<Response> {
    const { c, memory } = call;
    const server = await this.#serverFor(memory);
    const { handler, notices } = server;
    notices.listen(handler.notify, resourcesIn(call.message));
    const watch = await notices.watch(memory);
    const request = c.get("openRequest");
    void request.closed.then(() => watch.stop());
    const answer = await this.#ask(server, call);
    const stream = new BoundedStream(c, this.#options.streamBytesMax);
    const sent = this.#send(answer, stream);
    const end = async () => {
      await handler.close();
      await sent;
    };
    this.#streams.set(stream, end);
    request.becomeStream();
    const cancel = endWithAccess(this.#dependencies.clock, call.expiresAt, () => void end());
    void request.closed.then(() => {
      cancel();
      this.#streams.delete(stream);
    });
    return responseWith(answer, stream);
  }

  async #send(answer: Response, stream: BoundedStream): Promise<void> {
    const { logger, refusals } = this.#dependencies;
    try {
      const isRead = await copyBody(answer.body, stream);
      if (!isRead) refusals.add("slow_reader");
    } catch (error) {
      logger.error({ err: error }, "failed to answer an MCP request");
    }
  }

  /** Loads the MCP server at first use, because clients of A2E do not need it. */
  async #serverFor(memory: AgentMemory): Promise<RequestServer> {
    const [{ ChangeNotices, memoryServers }, { createMcpHandler }] = await Promise.all([
      import("@membus/mcp"),
      import("@modelcontextprotocol/server"),
    ]);
    const { clock, logger } = this.#dependencies;
    const notices = new ChangeNotices(false, clock);
    const dependencies = { memory: async () => memory, notices, logger: withoutRefusals(logger) };
    const factory = memoryServers(dependencies, { readOnly: this.#options.mcpReadOnly });
    let problem: Error | undefined;
    const onerror = (error: Error) => {
      problem = error;
    };
    const handler = createMcpHandler(factory, { onerror, maxRequestBodySize: REQUEST_BYTES_MAX });
    return { handler, notices, problem: () => problem };
  }

  async #ask({ handler, problem }: RequestServer, { c, message }: McpCall): Promise<Response> {
    const answer = await handler.fetch(c.req.raw, { parsedBody: message });
    // Errors of the client are not logged, because they may contain its data.
    if (answer.status >= 500) this.#dependencies.logger.error({ err: problem() }, "an MCP server failed");
    return answer;
  }

  #boundedBody(bytesMax: number): MiddlewareHandler<HttpEnv> {
    return boundedBody(bytesMax, (c) => {
      this.#dependencies.refusals.add("mcp_request_bytes");
      return jsonResponse(c, 413, { error: `a request has at most ${bytesMax} bytes` });
    });
  }

  #refuseOneMore(c: HttpContext): Response {
    this.#dependencies.refusals.add("mcp_requests");
    return jsonResponse(c, 503, { error: "the gateway has too many requests under way" });
  }
}

function opensStream({ env }: Pick<HttpContext, "env">): boolean {
  return opensMcpStream(env.incoming.headers);
}

/** Runs one middleware for requests that open a stream, and another for calls. */
function forStreams(
  stream: MiddlewareHandler<HttpEnv>,
  call: MiddlewareHandler<HttpEnv>,
): MiddlewareHandler<HttpEnv> {
  return (c, next) => (opensStream(c) ? stream(c, next) : call(c, next));
}

/**
 * Returns the resources that a message subscribes to. The server searches its list once for each change, so
 * that only changes of these resources are passed to it.
 */
function resourcesIn(message: unknown): ReadonlySet<string> {
  const { params } = isJsonObject(message) ? message : {};
  const { notifications } = isJsonObject(params) ? params : {};
  const { resourceSubscriptions } = isJsonObject(notifications) ? notifications : {};
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  return new Set(uris.filter((uri): uri is string => typeof uri === "string"));
}

function responseWith({ status, headers }: Response, { readable }: BoundedStream): Response {
  return new Response(readable, { status, headers });
}

function waitingBytesOf(streams: Iterable<BoundedStream>): number {
  let sum = 0;
  for (const { waitingBytes } of streams) sum += waitingBytes;
  return sum;
}

/** Returns undefined if `bytes` are not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Logs rejected calls at the level debug, because a client could fill the log with them. */
function withoutRefusals(logger: Logger): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.debug(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

/** Returns an error of JSON-RPC. */
function rpcError(c: HttpContext, code: number, message: string): Response {
  return jsonResponse(c, 400, { jsonrpc: "2.0", error: { code, message }, id: null });
}
