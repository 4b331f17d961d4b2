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

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
};
const CONNECTIONS_MAX = 20_000;

export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** @throws {MemoryError} `unavailable` where it cannot listen. */
export async function listen(
  { host, port, tls }: { readonly host: string; readonly port: number; readonly tls?: TlsFiles | undefined },
  answer: Answer,
): Promise<Server> {
  const handler = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server =
    tls === undefined ? createServer(LIMITS, handler) : createTlsServer({ ...LIMITS, ...tls }, handler);
  server.maxConnections = CONNECTIONS_MAX;
  server.on("clientError", (_, socket) => socket.destroy());
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const text = `cannot listen on ${host}:${port}: ${(error as Error).message}`;
    throw new MemoryError("unavailable", text, { host, port }, { cause: error });
  }
  return server;
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
