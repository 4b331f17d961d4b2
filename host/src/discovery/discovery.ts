import { LIMITS, type MemoryTier, OPERATIONS, PROTOCOL_VERSION, type RequestType } from "@membus/protocol";
import {
  type Bus,
  type BusMessage,
  type BusSubscription,
  type Embedder,
  FEATURES,
} from "@membus/protocol/plugin";
import type { Metrics } from "../metrics.js";
import type { ResolvedHostOptions } from "../options.js";
import { hasFeature, type PluginRunner } from "../plugin-calls/index.js";
import { Inboxes } from "../replies/index.js";

/** Version of this package, as discovery reports it. */
export const HOST_VERSION = "0.1.0";

/** Service name in NATS tools. */
export const SERVICE_NAME = "membus";

/** Queue group of all hosts. Hosts of the same prefix share its requests. */
export const QUEUE_GROUP = "membus";

const DESCRIPTION = "Memory for AI agents: store, retrieve and forget";

const ENDPOINT_TYPES: Readonly<Record<string, RequestType>> = Object.freeze({
  ...Object.fromEntries(OPERATIONS.map((name) => [name, `memory/${name}/req` as const])),
  ping: "ping",
});

interface Endpoint {
  readonly name: string;
  readonly subject: string;
  readonly queue_group: string;
}

export type HostState = "created" | "starting" | "serving" | "stopping" | "stopped";

export interface ServiceInfo {
  readonly state: HostState;
  /** Milliseconds since the host began to serve, 0 before. */
  readonly servingMs: number;
  readonly options: ResolvedHostOptions;
  readonly cluster: string | undefined;
  readonly clusterHost: string | undefined;
  readonly tiers: ReadonlyMap<MemoryTier, PluginRunner>;
  readonly embedder: Embedder | undefined;
}

/**
 * Returns the discovery metadata of a host. Lists are comma-separated. `plugins` (manifest by tier) and
 * `limits` are JSON.
 */
export function serviceMetadata(facts: ServiceInfo): Record<string, string> {
  const { state, servingMs, options, cluster, clusterHost, tiers, embedder } = facts;
  const runners = [...tiers.values()];
  const features = Object.keys(FEATURES).filter((name) =>
    runners.some((runner) => hasFeature(runner.features, name)),
  );
  const manifests = Object.fromEntries(runners.map(({ tier, plugin }) => [tier, plugin.manifest]));
  return {
    protocol_version: PROTOCOL_VERSION,
    state,
    serving_ms: String(servingMs),
    prefix: options.prefix,
    tenants: options.tenants.join(","),
    tiers: [...tiers.keys()].join(","),
    features: features.join(","),
    plugins: JSON.stringify(manifests),
    limits: JSON.stringify(LIMITS),
    ...(cluster !== undefined && { cluster }),
    ...(clusterHost !== undefined && { cluster_host: clusterHost }),
    ...(embedder && { embedder_id: embedder.id, embedder_dimensions: String(embedder.dimensions) }),
  };
}

const VERBS = ["PING", "INFO", "STATS"] as const;
type Verb = (typeof VERBS)[number];

export interface DiscoveryDependencies {
  readonly bus: Bus;
  readonly metrics: Metrics;
  readonly hostId: string;
  /** Unix seconds. */
  readonly startedAt: number;
  readonly options: ResolvedHostOptions;
  /** Returns figures of tiers, process and requests, under their wire names. */
  statistics(): object;
  /** Returns the features of this host. All values are strings, because NATS requires strings. */
  metadata(): Readonly<Record<string, string>>;
}

/**
 * Answers the NATS micro protocol (`$SRV.PING|INFO|STATS[.membus[.<id>]]`), so that NATS tools find the host
 * (clause DISC-1).
 */
export class Discovery {
  readonly #dependencies: DiscoveryDependencies;
  readonly #inboxes: Inboxes;
  #subscriptions: BusSubscription[] = [];

  constructor(dependencies: DiscoveryDependencies) {
    this.#dependencies = dependencies;
    const { prefix, inboxPrefixes } = dependencies.options;
    this.#inboxes = new Inboxes(prefix, inboxPrefixes);
  }

  start(): void {
    const { bus, hostId } = this.#dependencies;
    for (const verb of VERBS) {
      for (const suffix of ["", `.${SERVICE_NAME}`, `.${SERVICE_NAME}.${hostId}`]) {
        const answer = (message: BusMessage) => this.#answer(verb, message);
        this.#subscriptions.push(bus.subscribe(`$SRV.${verb}${suffix}`, answer));
      }
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#subscriptions.splice(0).map((subscription) => subscription.drain()));
  }

  #answer(verb: Verb, { reply }: BusMessage): void {
    const { bus, metrics } = this.#dependencies;
    if (reply === undefined) return;
    if (!this.#inboxes.belongsToAnyCaller(reply)) return metrics.drop("reply_subject");
    bus.publish(reply, Buffer.from(JSON.stringify(this.#body(verb))));
  }

  #body(verb: Verb): object {
    const { hostId, startedAt, metadata, statistics: figures } = this.#dependencies;
    const type = `io.nats.micro.v1.${verb.toLowerCase()}_response`;
    const head = { type, name: SERVICE_NAME, id: hostId, version: HOST_VERSION, metadata: metadata() };
    if (verb === "PING") return head;
    if (verb === "INFO") return { ...head, description: DESCRIPTION, endpoints: this.#endpoints() };
    const started = new Date(startedAt * 1_000).toISOString();
    const endpoints = this.#endpoints().map((endpoint) => this.#withStats(endpoint));
    return { ...head, started, endpoints, ...figures() };
  }

  /** Returns one endpoint per operation, for all tenants. `metadata.tenants` lists the served tenants. */
  #endpoints(): Endpoint[] {
    const { prefix } = this.#dependencies.options;
    return Object.entries(ENDPOINT_TYPES).map(([name, type]) => {
      return { name, subject: `${prefix}.*.*.${type.replaceAll("/", ".")}`, queue_group: QUEUE_GROUP };
    });
  }

  #withStats(endpoint: Endpoint): object {
    const stats = this.#dependencies.metrics.forType(ENDPOINT_TYPES[endpoint.name]!);
    const num_requests = stats?.count ?? 0;
    const num_errors = num_requests - (stats?.outcomes.ok ?? 0);
    const processing_time = Math.round((stats?.latency.sumMs ?? 0) * 1e6);
    const average_processing_time = num_requests === 0 ? 0 : Math.round(processing_time / num_requests);
    return { ...endpoint, num_requests, num_errors, processing_time, average_processing_time };
  }
}
