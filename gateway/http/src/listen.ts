import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, isIP } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { MemoryError } from "@membus/protocol";
import type { HttpApp } from "./http-context.js";

/** PEM files. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Why a connection was refused before it became a request. */
export type ConnectionRefusal = "connections" | "header_bytes" | "not_http" | "slow_request";

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Serves HTTPS. */
  readonly tls?: TlsFiles | undefined;
  /** Connections that may be open together. */
  readonly connectionsMax: number;
  /** Limits of node:http on headers and on slow requests. */
  readonly limits: Pick<
    ServerOptions,
    "headersTimeout" | "requestTimeout" | "keepAliveTimeout" | "maxHeaderSize" | "connectionsCheckingInterval"
  >;
  onRefused?(cause: ConnectionRefusal): void;
}

/** A server that listens. */
export interface HttpServer {
  /** Without a path. */
  readonly url: string;
  /** Stops listening, waits for `drain`, and closes all connections. */
  close(drain?: () => Promise<unknown>): Promise<void>;
}

/**
 * Serves `app`.
 * @throws {MemoryError} `unavailable` if it cannot listen.
 */
export async function listen(app: HttpApp, options: ListenOptions): Promise<HttpServer> {
  const { host, port, tls, limits, connectionsMax, onRefused = () => {} } = options;
  const listener = requestListener(app);
  const server =
    tls === undefined ? createServer(limits, listener) : createTlsServer({ ...limits, ...tls }, listener);
  server.maxConnections = connectionsMax;
  server.on("drop", () => onRefused("connections"));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    socket.destroy();
    const cause = refusalOf(error.code);
    if (cause !== undefined) onRefused(cause);
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw listenError(host, port, error as NodeJS.ErrnoException);
  }
  return { url: urlOf(server, tls !== undefined), close: (drain) => close(server, drain) };
}

function listenError(host: string, port: number, error: NodeJS.ErrnoException): MemoryError {
  const isInUse = error.code === "EADDRINUSE";
  const text = `cannot listen on ${host}:${port}: ${isInUse ? "another program uses this port" : error.message}`;
  const detail = { host, port, ...(isInUse && { reason: "port_in_use" }) };
  return new MemoryError("unavailable", text, detail, { cause: error });
}

/** Passes every request to the app, also a request with a target or `Host` that is no part of a URL. */
function requestListener(app: HttpApp) {
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const errorHandler = (error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      return app.fetch(new Request("http://localhost/"), { incoming, outgoing, hasInvalidUrl: true });
    };
    const options = { overrideGlobalObjects: false, hostname: "localhost", errorHandler };
    const listener = getRequestListener((request, env) => app.fetch(request, env as never), options);
    void listener(incoming, outgoing);
  };
}

async function close(server: Server, drain: () => Promise<unknown> = async () => {}): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await drain();
  server.closeAllConnections();
  await closed;
}

/** Returns undefined for a client that just left. */
function refusalOf(code = ""): ConnectionRefusal | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "header_bytes";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "slow_request";
  return code.startsWith("HPE_") ? "not_http" : undefined;
}

function urlOf(server: Server, hasTls: boolean): string {
  const { address, port } = server.address() as AddressInfo;
  return `${hasTls ? "https" : "http"}://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}
