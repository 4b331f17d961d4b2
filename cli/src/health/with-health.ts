import type { Config } from "../config/config-schema.js";
import type { HealthSources } from "./health-server.js";

/** Runs `work` while serving health checks, if they are configured. `note` receives the address. */
export async function withHealth(
  { health }: Config,
  sources: HealthSources,
  note: (line: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  if (health === undefined) return work();
  const { startHealthServer } = await import("./health-server.js");
  const server = await startHealthServer(health, sources);
  note(`health and metrics: ${server.url}/healthz, /readyz and /metrics`);
  try {
    await work();
  } finally {
    await server.close();
  }
}
