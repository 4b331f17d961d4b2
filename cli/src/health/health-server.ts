import { isIP } from "node:net";
import type { HostStats } from "@membus/host";
import {
  addHealthRoutes,
  checkCaller,
  createApp,
  HEALTH_PATHS,
  hostnameOf,
  listen,
  RequestTracker,
  textResponse,
} from "@membus/http";
import { systemClock } from "@membus/protocol";
import type { BusState } from "@membus/protocol/plugin";
import { hostMetrics, metricsText } from "./host-metrics.js";

const CONNECTIONS_MAX = 64;
const TIMEOUT_MS = 5_000;
const LIMITS = { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, keepAliveTimeout: TIMEOUT_MS };

export interface HealthOptions {
  /** 0 chooses a free port. */
  readonly port: number;
  readonly host: string;
}

/** Sources of the health checks and metrics. */
export interface HealthSources {
  stats(): HostStats;
  busState(): BusState;
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/healthz` (the process runs), `/readyz` (requests are served) and `/metrics` for GET and HEAD.
 * @throws {MemoryError} `unavailable` if it cannot listen.
 */
export async function startHealthServer(
  { port, host }: HealthOptions,
  sources: HealthSources,
): Promise<HealthServer> {
  const registry = hostMetrics(sources.stats);
  const app = createApp();
  const rules = {
    isHostAllowed: (header: string) => isOwnName(hostnameOf(header), host),
    isOriginAllowed: () => true,
  };
  app.use(
    new RequestTracker(systemClock).middleware,
    checkCaller(rules, (c) => textResponse(c, 403, "unknown host name")),
  );
  addHealthRoutes(app, {
    notReady: async () => notReady(sources),
    metricsType: registry.contentType,
    metrics: () => metricsText(registry, sources.stats()),
  });
  app.notFound((c) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    return isRead ? textResponse(c, 404, HEALTH_PATHS.join("\n")) : textResponse(c, 405, "GET or HEAD");
  });
  return listen(app, { host, port, connectionsMax: CONNECTIONS_MAX, limits: LIMITS });
}

/** Rejects requests with a foreign Host header (DNS rebinding). IP addresses cannot be rebound. */
function isOwnName(name: string, host: string): boolean {
  return name === "localhost" || name === host || isIP(name) !== 0;
}

function notReady({ stats, busState }: HealthSources): string | undefined {
  const { state } = stats();
  if (state !== "serving") return `the host is ${state}`;
  return busState() === "connected" ? undefined : "not connected to NATS";
}
