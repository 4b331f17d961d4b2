import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, isIP } from "node:net";
import { MemoryError } from "@membus/protocol";

export interface TlsFiles {
  /** PEM. */
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** What answers a request, and its name in the figures. */
export interface Route {
  readonly name: string;
  readonly answer: Answer;
}

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  /** The first two are looked at so often. */
  connectionsCheckingInterval: 5_000,
};
const CONNECTIONS_MAX = 20_000;

export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What a connection may be refused for before there is a request. */
export type ConnectionRefusal = "connections" | "header_bytes" | "not_http" | "slow_request";

interface Listener {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsFiles | undefined;
  onRefused(cause: ConnectionRefusal): void;
}

/** @throws {MemoryError} `unavailable` where it cannot listen. */
export async function listen({ host, port, tls, onRefused }: Listener, answer: Answer): Promise<Server> {
  const handler = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server =
    tls === undefined ? createServer(LIMITS, handler) : createTlsServer({ ...LIMITS, ...tls }, handler);
  server.maxConnections = CONNECTIONS_MAX;
  server.on("drop", () => onRefused("connections"));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    socket.destroy();
    const cause = refusalOfError(error.code);
    if (cause !== undefined) onRefused(cause);
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const text = `cannot listen on ${host}:${port}: ${(error as Error).message}`;
    throw new MemoryError("unavailable", text, { host, port }, { cause: error });
  }
  return server;
}

/** Undefined for a client that just went away. */
function refusalOfError(code = ""): ConnectionRefusal | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "header_bytes";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "slow_request";
  return code.startsWith("HPE_") ? "not_http" : undefined;
}

export function urlOf(server: Server, hasTls: boolean): string {
  const { address, port } = server.address() as AddressInfo;
  return `${hasTls ? "https" : "http"}://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}
