import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AgentMemory } from "@membus/agent-client";
import type { ChangeNotices } from "@membus/mcp";
import { type Clock, type Logger, within } from "@membus/protocol";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { Refusals } from "../health/refusals.js";
import { readBody } from "../http/body.js";
import { BodyClaims } from "../http/body-claims.js";
import { answerJson, type Route } from "../http/http-server.js";
import type { TenantClients } from "../tenant-clients.js";
import type { Tokens } from "../tokens.js";
import { callerOf, MCP_ROOT } from "./caller.js";
import { signalOf, webRequest, writeAnswer } from "./web-exchange.js";

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
}

/** Tries of each request of a call end before the minute after which most clients give it up. */
export const MCP_TIMEOUT_MS = 20_000;
/** Of the streams in the figures, whatever their namespace. */
export const MCP_STREAM = `${MCP_ROOT} subscriptions/listen`;

const REQUESTS_MAX = 512;
const REQUEST_BYTES_MAX = 4 * 1024 * 1024;
const REQUESTS_BYTES_MAX = 64 * 1024 * 1024;
const STREAMS_MAX = 1_000;
/** Of the request that opens a stream, which names some hundred resources. */
const STREAM_REQUEST_BYTES_MAX = 64 * 1024;
/** Messages of one request of 2025, which are answered together. */
const BATCH_MAX = 8;
/** In which an answer is to be taken, as a request is to be sent. */
const TAKE_TIMEOUT_MS = 60_000;
/** Revisions are dates: the one that has streams, and what comes after it. */
const STREAM_REVISION = "2026-07-28";

/** What is asked, and of which memory. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly memory: AgentMemory;
}

/** What answers one request. */
interface OneServer {
  readonly handler: McpHttpHandler;
  readonly notices: ChangeNotices;
  /** What went wrong last. */
  problem(): Error | undefined;
}

/** A memory for clients of MCP over streamable HTTP. Each request is answered by a server of its own. */
export class McpRoutes {
  readonly #dependencies: McpRoutesDependencies;
  readonly #options: McpRoutesOptions;
  readonly #claims = new BodyClaims(REQUEST_BYTES_MAX, REQUESTS_BYTES_MAX);
  readonly #work = new Map<ServerResponse, Promise<void>>();
  /** How streams are ended that are open. */
  readonly #ends = new Map<ServerResponse, () => Promise<void>>();
  /** With those that are about to be open. */
  #streamCount = 0;

  constructor(dependencies: McpRoutesDependencies, options: McpRoutesOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  get streamCount(): number {
    return this.#ends.size;
  }

  /** What waits for readers. */
  get waitingBytes(): { readonly answers: number; readonly streams: number } {
    return { answers: waitingBytesOf(this.#work.keys()), streams: waitingBytesOf(this.#ends.keys()) };
  }

  /** What the bodies of requests under way take. */
  get claimedBytes(): number {
    return this.#claims.bytes;
  }

  /** Undefined for a path that is not MCP's. */
  find(path: string, headers: IncomingHttpHeaders): Route | undefined {
    if (path !== MCP_ROOT && !path.startsWith(`${MCP_ROOT}/`)) return undefined;
    const isStream = opensStream(headers);
    const answer = isStream ? this.#answerStream : this.#answerCall;
    return {
      name: isStream ? MCP_STREAM : MCP_ROOT,
      answer: async (request, response) => {
        const memory = await this.#memoryOf(request, response, path);
        if (memory === undefined) return;
        if (request.method !== "POST") return refuseMethod(response);
        await answer.call(this, { request, response, memory });
      },
    };
  }

  /** Resolves when every request is answered, and the answer is taken. Streams go on. */
  async idle(): Promise<void> {
    await Promise.all(this.#work.values());
  }

  /** Ends every stream. */
  async close(): Promise<void> {
    await Promise.all([...this.#ends.values()].map((end) => end()));
  }

  /** Undefined where it is refused, which is answered. */
  async #memoryOf(
    { headers }: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<AgentMemory | undefined> {
    const { tokens, clients, refusals } = this.#dependencies;
    const caller = callerOf(path, headers, tokens);
    if ("identity" in caller) return (await clients.of(caller.identity)).inNamespace(caller.namespace);
    if (caller.status === 401) {
      refusals.add("unknown_token");
      response.setHeader("www-authenticate", "Bearer");
    }
    return refuse(response, caller.status, caller.error);
  }

  async #answerCall(asked: Asked): Promise<void> {
    const endClaim = this.#work.size < REQUESTS_MAX ? this.#claims.take(asked.request) : undefined;
    if (endClaim === undefined) return this.#refuseOneMore(asked);
    const work = this.#call(asked);
    // Of what fails the gateway hears below.
    const ended = work.catch(() => {});
    this.#work.set(asked.response, ended);
    try {
      await work;
    } finally {
      this.#work.delete(asked.response);
      endClaim();
    }
  }

  async #call(asked: Asked): Promise<void> {
    const message = await this.#messageOf(asked, REQUEST_BYTES_MAX);
    if (message !== undefined) await this.#ask(await this.#serverFor(asked.memory), asked, message);
    await this.#untilTaken(asked);
  }

  /** An answer that is not read takes its place among the requests, and not for ever. */
  async #untilTaken({ response }: Asked): Promise<void> {
    if (response.writableFinished || response.destroyed) return;
    const end = Promise.race([once(response, "finish"), once(response, "close")]);
    if ((await within(this.#dependencies.clock, TAKE_TIMEOUT_MS, end)) !== undefined) return;
    this.#dependencies.refusals.add("slow_reader");
    response.destroy();
  }

  async #answerStream(asked: Asked): Promise<void> {
    if (this.#streamCount >= STREAMS_MAX) return this.#refuseOneMore(asked);
    this.#streamCount++;
    try {
      const message = await this.#messageOf(asked, STREAM_REQUEST_BYTES_MAX);
      if (message !== undefined) await this.#stream(asked, message);
    } finally {
      this.#streamCount--;
    }
  }

  /** Watches before it says that it does. */
  async #stream(asked: Asked, message: unknown): Promise<void> {
    const { response, memory } = asked;
    const server = await this.#serverFor(memory);
    const { handler, notices } = server;
    notices.listen(handler.notify);
    const watch = await notices.watch(memory);
    const answered = this.#ask(server, asked, message);
    this.#ends.set(response, async () => {
      await handler.close();
      await answered.catch(() => {});
    });
    try {
      await answered;
    } finally {
      this.#ends.delete(response);
      void watch.stop();
    }
  }

  /** Loaded where it is used: who speaks A2E alone has no need of it. */
  async #serverFor(memory: AgentMemory): Promise<OneServer> {
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

  async #ask({ handler, problem }: OneServer, { request, response }: Asked, message: unknown): Promise<void> {
    const { logger, refusals } = this.#dependencies;
    const answer = await handler.fetch(webRequest(request, signalOf(response)), { parsedBody: message });
    // What is wrong with a request its client is told, and the log is not: it may hold what was sent.
    if (answer.status >= 500) logger.error({ err: problem() }, "a server of MCP failed");
    const wasTaken = await writeAnswer(answer, response, this.#options.streamBytesMax);
    if (!wasTaken) refusals.add("slow_reader");
  }

  /** Undefined where it is too large, too many, or no JSON, which is answered. */
  async #messageOf({ request, response }: Asked, bytesMax: number): Promise<unknown> {
    const { refusals } = this.#dependencies;
    const { bytes, isWhole } = await readBody(request, bytesMax);
    if (!isWhole) {
      refusals.add("mcp_request_bytes");
      return refuse(response, 413, `a request has at most ${bytesMax} bytes`);
    }
    const message = parsed(bytes);
    if (message === undefined) return refuseMessage(response, -32_700, "Parse error: the body is no JSON");
    if (!Array.isArray(message) || message.length <= BATCH_MAX) return message;
    refusals.add("mcp_requests");
    return refuseMessage(response, -32_600, `Invalid Request: a batch has at most ${BATCH_MAX} messages`);
  }

  #refuseOneMore({ response }: Asked): void {
    this.#dependencies.refusals.add("mcp_requests");
    refuse(response, 503, "the gateway has too many requests under way");
  }
}

/** What names the method alone may be any call of 2025, which ends by itself. */
function opensStream(headers: IncomingHttpHeaders): boolean {
  const revision = String(headers["mcp-protocol-version"] ?? "");
  return headers["mcp-method"] === "subscriptions/listen" && revision >= STREAM_REVISION;
}

function waitingBytesOf(responses: Iterable<ServerResponse>): number {
  return [...responses].reduce((bytes, { writableLength }) => bytes + writableLength, 0);
}

/** Undefined for what is no JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What is wrong with a call its client is told: it could fill the log. */
function withoutRefusals(logger: Logger): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.debug(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function refuse(response: ServerResponse, status: number, error: string): undefined {
  answerJson(response, status, { error });
}

function refuseMethod(response: ServerResponse): void {
  response.setHeader("allow", "POST");
  refuse(response, 405, "messages are sent by POST");
}

/** As JSON-RPC has it. */
function refuseMessage(response: ServerResponse, code: number, message: string): undefined {
  answerJson(response, 400, { jsonrpc: "2.0", error: { code, message }, id: null });
}
