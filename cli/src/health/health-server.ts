import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import type { HostStats } from "@membus/host";
import { type BusState, MemoryError } from "@membus/protocol";
import { hostMetrics, metricsText } from "./host-metrics.js";

const CONNECTIONS_MAX = 64;
const TIMEOUT_MS = 5_000;

export interface HealthOptions {
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
}

/** What is asked when somebody asks. */
export interface HealthSources {
  stats(): HostStats;
  busState(): BusState;
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Answers `/healthz` (the process lives), `/readyz` (requests are served) and `/metrics`, to GET and HEAD.
 * @throws {MemoryError} `unavailable` where it cannot listen.
 */
export async function startHealthServer(
  { port, host }: HealthOptions,
  sources: HealthSources,
): Promise<HealthServer> {
  const answer = responder(host, sources);
  const timeouts = { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, keepAliveTimeout: TIMEOUT_MS };
  const server = createServer(timeouts, (request, response) => void answer(request, response));
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, port, host);
  const { address, port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${isIP(address) === 6 ? `[${address}]` : address}:${taken}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const text = `cannot answer health checks at ${host}:${port}: ${(error as Error).message}`;
    throw new MemoryError("unavailable", text, { host, port }, { cause: error });
  }
}

function responder(host: string, sources: HealthSources) {
  const registry = hostMetrics(sources.stats);
  const pages: Readonly<Record<string, () => Promise<[status: number, type: string, body: string]>>> = {
    "/healthz": async () => [200, "text/plain", "ok\n"],
    "/readyz": async () => {
      const problem = notReady(sources);
      return [problem === undefined ? 200 : 503, "text/plain", `${problem ?? "ok"}\n`];
    },
    "/metrics": async () => [200, registry.contentType, await metricsText(registry, sources.stats())],
  };
  return async ({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = url?.split("?", 1)[0] ?? "";
    if (!isOwnName(headers.host, host)) return end(response, 403, "text/plain", "not this host's name\n");
    if (method !== "GET" && method !== "HEAD") return end(response, 405, "text/plain", "GET or HEAD\n");
    if (!Object.hasOwn(pages, path))
      return end(response, 404, "text/plain", `${Object.keys(pages).join("\n")}\n`);
    end(response, ...(await pages[path]!()));
  };
}

function end(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
}

/** A page of another site that has its name point here names that; an address cannot be made to. */
function isOwnName(header: string | undefined, host: string): boolean {
  const url = `http://${header}`;
  const name = header !== undefined && URL.canParse(url) ? new URL(url).hostname : "";
  return name === "localhost" || name === host || isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}

function notReady({ stats, busState }: HealthSources): string | undefined {
  const { state } = stats();
  if (state !== "serving") return `the host is ${state}`;
  return busState() === "connected" ? undefined : "not connected to NATS";
}
