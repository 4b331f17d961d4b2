import { type Clock, isJsonObject, type Json, type JsonObject } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import type { EndpointHealth, Health, HostHealth, Metrics } from "./inspector-api.js";

const SUBJECT = "$SRV.STATS.membus";
const WAIT_MS = 300;
/** Seconds for which a result is shared by all open pages. */
const FRESH_S = 1;
const HOSTS_MAX = 64;
const FIGURES_MAX = 100;
const FIGURE_LENGTH_MAX = 200;

export interface HealthDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  /** Subject prefix of the hosts. */
  readonly prefix: string;
}

/** A host with the tenants that it serves. Tenant names are not shown to other tenants. */
interface FoundHost {
  readonly host: HostHealth;
  readonly tenants: readonly string[];
}

interface Answers {
  /** Unix seconds. */
  readonly at: number;
  readonly found: readonly FoundHost[];
}

/** Reads the statistics of the hosts of a prefix, at most once per second for all pages. */
export class HostsHealth {
  readonly #dependencies: HealthDependencies;
  #latest: Promise<Answers> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: HealthDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns the hosts that serve the tenant. @throws {MemoryError} `unauthorized` if the NATS server does not
   * allow the request, `unavailable` if it is not connected.
   */
  async read(tenant: string): Promise<Health> {
    const { at, found } = await this.#answers();
    const serving = found.filter(({ tenants }) => tenants.includes("*") || tenants.includes(tenant));
    return { at, hosts: serving.map(({ host }) => host) };
  }

  #answers(): Promise<Answers> {
    const { clock } = this.#dependencies;
    const now = clock.now();
    if (this.#latest === undefined || now - this.#askedAt >= FRESH_S) {
      this.#askedAt = now;
      this.#latest = this.#ask();
      // A failed result is not cached.
      this.#latest.catch(() => {
        this.#latest = undefined;
      });
    }
    return this.#latest;
  }

  async #ask(): Promise<Answers> {
    const { bus, clock, prefix } = this.#dependencies;
    const answers = await bus.requestMany(SUBJECT, new Uint8Array(), { waitMs: WAIT_MS });
    const found = answers.slice(0, HOSTS_MAX).flatMap(({ payload }) => readHost(payload, prefix) ?? []);
    return { at: clock.now(), found: found.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
  }
}

function nameOf({ host: { name, id } }: FoundHost): string {
  return name ?? id;
}

/** Returns undefined if the payload is not from a host of this prefix. */
function readHost(payload: Uint8Array, prefix: string): FoundHost | undefined {
  const stats = parse(payload);
  if (typeof stats?.id !== "string") return undefined;
  const metadata = objectOf(stats.metadata);
  if (metadata.prefix !== prefix) return undefined;
  const { endpoints = [] } = stats;
  const tiers = Object.entries(objectOf(stats.tiers)).slice(0, 8);
  const host = {
    id: stats.id,
    ...(metadata.cluster_host !== undefined && { name: textOf(metadata.cluster_host) }),
    version: textOf(stats.version),
    state: textOf(metadata.state),
    started: textOf(stats.started),
    endpoints: Array.isArray(endpoints) ? endpoints.slice(0, 16).map(endpointOf) : [],
    in_flight: metricsOf(stats.in_flight),
    process: metricsOf(stats.process),
    dropped: metricsOf(stats.dropped),
    refused: metricsOf(stats.refused),
    tiers: Object.fromEntries(tiers.map(([tier, figures]) => [tier, metricsOf(figures)])),
  };
  return { host, tenants: String(metadata.tenants ?? "").split(",") };
}

function parse(payload: Uint8Array): JsonObject | undefined {
  try {
    const stats = JSON.parse(Buffer.from(payload).toString("utf8")) as Json;
    return isJsonObject(stats) ? stats : undefined;
  } catch {
    return undefined;
  }
}

function endpointOf(endpoint: Json): EndpointHealth {
  const { name, num_requests, num_errors, processing_time } = objectOf(endpoint);
  return {
    name: textOf(name),
    requests: numberOf(num_requests),
    errors: numberOf(num_errors),
    total_ms: numberOf(processing_time) / 1e6,
  };
}

function metricsOf(value: Json | undefined): Metrics {
  const figures: Record<string, number | string | boolean> = {};
  for (const [name, figure] of Object.entries(objectOf(value)).slice(0, FIGURES_MAX)) {
    if (typeof figure === "number" || typeof figure === "boolean") figures[name] = figure;
    if (typeof figure === "string") figures[name] = textOf(figure);
  }
  return figures;
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value.slice(0, FIGURE_LENGTH_MAX) : "";
}

function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}
