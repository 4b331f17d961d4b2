import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { type Logger, MemoryError, systemClock, within } from "@membus/protocol";
import {
  hostHeaderValidation,
  type NodeIncomingMessageLike,
  originValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
} from "@modelcontextprotocol/server";
import type { ChangeNotices } from "../change-notices.js";

const MCP_PATH = "/mcp";
const CONNECTIONS_MAX = 1_000;
/** For requests that are under way at the end. */
const DRAIN_TIMEOUT_MS = 5_000;
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

export interface HttpOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Without one everybody is let in, which is for loopback alone. */
  readonly token?: string | undefined;
  /** Names, besides those of loopback, by which it may be called. */
  readonly hosts: readonly string[];
  /** Host names of pages that may call it, besides those of loopback. */
  readonly origins: readonly string[];
}

export interface RunningHttpServer {
  readonly url: string;
  /** Answers what is under way, and ends the streams. */
  close(): Promise<void>;
}

/**
 * Streamable HTTP at `/mcp`.
 * @throws {TypeError} for an open door: no token beyond loopback.
 * @throws {MemoryError} `unavailable` where it cannot listen.
 */
export async function serveHttp(
  factory: McpServerFactory,
  { host, port, token, hosts, origins }: HttpOptions,
  { notices, logger }: { readonly notices: ChangeNotices; readonly logger: Logger },
): Promise<RunningHttpServer> {
  if (token === undefined && !LOOPBACK.test(host)) {
    throw new TypeError(`a token is needed to listen on ${host}: anybody could read the memory`);
  }
  const onerror = (error: Error) => logger.warn({ err: error }, "a request was refused");
  const handler = createMcpHandler(factory, { onerror });
  const stopNotices = notices.listen(handler.notify);
  const answer = toNodeHandler(handler, { onerror });
  const isHostKnown = hostHeaderValidation([...localhostAllowedHostnames(), ...hosts]);
  const isOriginKnown = originValidation([...localhostAllowedOrigins(), ...origins]);
  const server = createServer(TIMEOUTS, (request, response) => {
    if (!isHostKnown(request, response) || !isOriginKnown(request, response)) return;
    if (request.url?.split("?")[0] !== MCP_PATH) return refuse(response, 404, `it is at ${MCP_PATH}`);
    const given = bearerOf(request);
    if (token !== undefined && !isSame(given, token))
      return refuse(response, 401, given === "" ? "a bearer token is needed" : "this token is not known");
    void answer(request as NodeIncomingMessageLike, response);
  });
  await listen(server, host, port);
  return { url: urlOf(server), close: () => stop(server, stopNotices, () => handler.close()) };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const text = `cannot listen on ${host}:${port}: ${(error as Error).message}`;
    throw new MemoryError("unavailable", text, { host, port }, { cause: error });
  }
}

async function stop(
  server: Server,
  stopNotices: () => void,
  closeHandler: () => Promise<void>,
): Promise<void> {
  stopNotices();
  const closed = once(server, "close");
  server.close();
  await closeHandler();
  server.closeIdleConnections();
  await within(systemClock, DRAIN_TIMEOUT_MS, closed);
  server.closeAllConnections();
  await closed;
}

/** The token of a request, "" for none. */
function bearerOf({ headers }: IncomingMessage): string {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

/** Compares digests, so that the time it takes tells nothing of the token. */
function isSame(given: string, token: string): boolean {
  const [expected, got] = [token, given].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(expected!, got!);
}

function refuse(response: ServerResponse, status: number, error: string): void {
  const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {};
  response.writeHead(status, { "content-type": "application/json", ...challenge });
  response.end(JSON.stringify({ error }));
}

function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}${MCP_PATH}`;
}
