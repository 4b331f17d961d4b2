import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { answerPage, healthPages, textPage } from "@membus/gateway";
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
  const pages = healthPages({
    notReady: async () => notReady(sources),
    figuresType: registry.contentType,
    figures: () => metricsText(registry, sources.stats()),
  });
  return async ({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const page = pages.get(url?.split("?", 1)[0] ?? "");
    if (!isOwnName(headers.host, host)) answerPage(response, textPage(403, "not this host's name"));
    else if (method !== "GET" && method !== "HEAD") answerPage(response, textPage(405, "GET or HEAD"));
    else answerPage(response, (await page?.()) ?? textPage(404, [...pages.keys()].join("\n")));
  };
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
