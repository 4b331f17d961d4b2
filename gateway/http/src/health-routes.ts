import type { MiddlewareHandler } from "hono";
import type { HttpApp, HttpContext, HttpEnv } from "./http-context.js";

export interface HealthSources {
  /** Returns why requests are not served, undefined if they are served. */
  notReady(): Promise<string | undefined>;
  /** `Content-Type` of the metrics. */
  readonly metricsType: string;
  metrics(): Promise<string>;
}

export const HEALTH_PATHS = ["/healthz", "/readyz", "/metrics"] as const;

/**
 * Adds `/healthz` (the process is alive), `/readyz` (requests are served) and `/metrics` (for Prometheus).
 * @param guard checks a request for metrics.
 */
export function addHealthRoutes(
  app: HttpApp,
  sources: HealthSources,
  guard: MiddlewareHandler<HttpEnv> = (_, next) => next(),
): void {
  app.get("/healthz", (c) => textResponse(c, 200, "ok"));
  app.get("/readyz", async (c) => {
    const problem = await sources.notReady();
    return textResponse(c, problem === undefined ? 200 : 503, problem ?? "ok");
  });
  app.get("/metrics", guard, async (c) =>
    plainResponse(c, 200, sources.metricsType, await sources.metrics()),
  );
}

export function textResponse(c: HttpContext, status: number, text: string): Response {
  return plainResponse(c, status, "text/plain", `${text}\n`);
}

function plainResponse(c: HttpContext, status: number, type: string, body: string): Response {
  return c.newResponse(body, {
    status,
    headers: {
      "content-type": type,
      // Also for HEAD, to which Hono answers without the body.
      "content-length": String(Buffer.byteLength(body)),
      "cache-control": "no-store",
    },
  } as never);
}
