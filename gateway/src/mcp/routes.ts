import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AgentMemory } from "@membus/agent-client";
import type { ChangeNotices } from "@membus/mcp";
import type { Clock, Logger } from "@membus/protocol";
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

/** Tries of a call end before the minute after which most clients give it up. */
export const MCP_TIMEOUT_MS = 20_000;
/** Of the streams in the figures, whatever their namespace. */
export const MCP_STREAM = `${MCP_ROOT} subscriptions/listen`;

const REQUESTS_MAX = 512;
const REQUEST_BYTES_MAX = 4 * 1024 * 1024;
const REQUESTS_BYTES_MAX = 64 * 1024 * 1024;
const STREAMS_MAX = 1_000;
/** Of the request that opens a stream, which names some hundred resources. */
const STREAM_REQUEST_BYTES_MAX = 64 * 1024;

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
  readonly #work = new Set<Promise<void>>();
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

  /** What waits for readers of streams. */
  get waitingBytes(): number {
    return [...this.#ends.keys()].reduce((bytes, { writableLength }) => bytes + writableLength, 0);
  }

  /** What the bodies of requests under way take. */
  get claimedBytes(): number {
    return this.#claims.bytes;
  }

  /** Undefined for a path that is not MCP's. */
  find(path: string, headers: IncomingHttpHeaders): Route | undefined {
    if (path !== MCP_ROOT && !path.startsWith(`${MCP_ROOT}/`)) return undefined;
    const isStream = headers["mcp-method"] === "subscriptions/listen";
    const answer = isStream ? this.#answerStream : this.#answerCall;
    return {
      name: isStream ? MCP_STREAM : MCP_ROOT,
      answer: async (request, response) => {
        const memory = await this.#memoryOf(request, response, path);
        if (memory !== undefined) await answer.call(this, { request, response, memory });
      },
    };
  }

  /** Resolves when every request is answered. Streams go on. */
  async idle(): Promise<void> {
    await Promise.all(this.#work);
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
    this.#work.add(ended);
    try {
      await work;
    } finally {
      this.#work.delete(ended);
      endClaim();
    }
  }

  async #call(asked: Asked): Promise<void> {
    const body = await this.#bodyOf(asked, REQUEST_BYTES_MAX);
    if (body !== undefined) await this.#ask(await this.#serverFor(asked.memory), asked, body);
  }

  async #answerStream(asked: Asked): Promise<void> {
    if (this.#streamCount >= STREAMS_MAX) return this.#refuseOneMore(asked);
    this.#streamCount++;
    try {
      const body = await this.#bodyOf(asked, STREAM_REQUEST_BYTES_MAX);
      if (body !== undefined) await this.#stream(asked, body);
    } finally {
      this.#streamCount--;
    }
  }

  /** Watches before it says that it does. */
  async #stream(asked: Asked, body: Buffer): Promise<void> {
    const { response, memory } = asked;
    const server = await this.#serverFor(memory);
    const { handler, notices } = server;
    notices.listen(handler.notify);
    const watch = await notices.watch(memory);
    const answered = this.#ask(server, asked, body);
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
    const dependencies = { memory: async () => memory, notices, logger };
    const factory = memoryServers(dependencies, { readOnly: this.#options.mcpReadOnly });
    let problem: Error | undefined;
    const onerror = (error: Error) => {
      problem = error;
    };
    const handler = createMcpHandler(factory, { onerror, maxRequestBodySize: REQUEST_BYTES_MAX });
    return { handler, notices, problem: () => problem };
  }

  async #ask({ handler, problem }: OneServer, { request, response }: Asked, body: Buffer): Promise<void> {
    const { logger, refusals } = this.#dependencies;
    const sent = webRequest(request, request.method === "POST" ? body : undefined, signalOf(response));
    const answer = await handler.fetch(sent);
    // What is wrong with a request its client is told, and the log is not: it may hold what was sent.
    if (answer.status >= 500) logger.error({ err: problem() }, "a server of MCP failed");
    const wasTaken = await writeAnswer(answer, response, this.#options.streamBytesMax);
    if (!wasTaken) refusals.add("slow_reader");
  }

  /** Undefined where it is too large, which is answered. */
  async #bodyOf({ request, response }: Asked, bytesMax: number): Promise<Buffer | undefined> {
    const { bytes, isWhole } = await readBody(request, bytesMax);
    if (isWhole) return bytes;
    this.#dependencies.refusals.add("mcp_request_bytes");
    return refuse(response, 413, `a request has at most ${bytesMax} bytes`);
  }

  #refuseOneMore({ response }: Asked): void {
    this.#dependencies.refusals.add("mcp_requests");
    refuse(response, 503, "the gateway has too many requests under way");
  }
}

function refuse(response: ServerResponse, status: number, error: string): undefined {
  answerJson(response, status, { error });
}
