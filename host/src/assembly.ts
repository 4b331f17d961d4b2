import { type Clock, type MemoryTier, systemClock } from "@membus/protocol";
import type { Bus, Embedder, Logger, MemoryPlugin, PluginServices, Reranker } from "@membus/protocol/plugin";
import { pino } from "pino";
import { AccessRules } from "./access-rules.js";
import { Events } from "./events/index.js";
import { Metrics } from "./metrics.js";
import { InFlight } from "./operation.js";
import type { NamespaceRule, Runtime } from "./operations/index.js";
import type { ResolvedHostOptions } from "./options.js";
import { Deadlines } from "./outcome.js";
import { EmbedderCache, type PluginRunner, serveTiers } from "./plugin-calls/index.js";
import { RateMeter } from "./rates/index.js";
import { Audit, type AuditSink, HEADER_BYTES_RESERVED, Responder } from "./replies/index.js";
import { Admission, Router } from "./routing/index.js";
import { Tracer } from "./tracing/index.js";

export interface HostDependencies {
  /** Owned by the caller: the host neither connects nor closes it. */
  readonly bus: Bus;
  /** One instance per tier, at least one. */
  readonly plugins: Readonly<Partial<Record<MemoryTier, MemoryPlugin>>>;
  /** Passed to the plugins with a cache. If absent, requests with vectors are refused. */
  readonly embedder?: Embedder;
  /** Passed to the plugins unchanged. If absent, `rerank` is refused. */
  readonly reranker?: Reranker;
  readonly clock?: Clock;
  /** Default: pino on standard error, level `warn`. */
  readonly logger?: Logger;
  /**
   * Receives a record of each request, dropped message and removed entry. If absent, no records are written.
   */
  readonly audit?: AuditSink;
  /**
   * Secret for hashing keys in audit records. If absent, each host uses a random secret, and keys cannot be
   * looked up.
   */
  readonly auditSecret?: Uint8Array;
  /**
   * Directory that the plugin of a tier may write to. lru works without one. With one, its revisions keep
   * growing across restarts.
   */
  readonly dataDirectories?: Readonly<Partial<Record<MemoryTier, string>>>;
  /**
   * Name of the cluster (clause DISC-9). Its hosts serve the same prefix and tenants, so the bus must give this host
   * only the requests of tenants that it owns. If absent, no other host may serve them.
   */
  readonly cluster?: string;
  /** Name of this host in its cluster, for people. If absent, they see only its id. */
  readonly clusterHost?: string;
  /** If absent, every namespace may be used. */
  readonly allowNamespace?: NamespaceRule;
}

/** Components of a host, wired together but not started. */
export interface Assembly {
  readonly runtime: Runtime;
  readonly admission: Admission;
  readonly metrics: Metrics;
  readonly router: Router;
  readonly tracer: Tracer;
  servicesOf(runner: PluginRunner): PluginServices;
}

export function assemble(
  dependencies: HostDependencies,
  options: ResolvedHostOptions,
  hostId: string,
): Assembly {
  const { bus, plugins, allowNamespace, reranker, dataDirectories = {} } = dependencies;
  const { clock = systemClock, logger = defaultLogger() } = dependencies;
  const metrics = new Metrics();
  const rates = new RateMeter(options.rates);
  const admission = new Admission(options, rates);
  const embedder = dependencies.embedder && new EmbedderCache(dependencies.embedder, options);
  const events = new Events({ bus, clock, metrics }, options);
  const tracer = new Tracer();
  const tiers = serveTiers(plugins, options, { clock, logger, metrics, tracer });
  const parts = {
    deadlines: new Deadlines(clock),
    inFlight: new InFlight(),
    events,
    embedder,
    allowNamespace,
    rules: new AccessRules(options.rules),
    replyBytesMax: () => bus.maxPayloadBytes - HEADER_BYTES_RESERVED,
  };
  const runtime: Runtime = { hostId, clock, logger, options, tiers, ...parts };
  const audit = dependencies.audit && new Audit(dependencies.audit, clock, dependencies.auditSecret);
  const responder = new Responder({ bus, clock, metrics, logger, audit });
  const router = new Router({ runtime, responder, admission, rates, tracer });
  const servicesOf = ({ tier }: PluginRunner): PluginServices => ({
    tier,
    clock,
    logger,
    ...(embedder && { embedder }),
    ...(reranker && { reranker }),
    ...(dataDirectories[tier] !== undefined && { dataDirectory: dataDirectories[tier] }),
    notify(change, agent) {
      events.changed(tier, change, agent);
      recordRemoval(audit, logger, tier, change, agent);
    },
  });
  return { runtime, admission, metrics, router, tracer, servicesOf };
}

/**
 * Writes the audit record of a removed entry. Never throws, although a plugin may report anything and a sink
 * may fail.
 */
function recordRemoval(
  audit: Audit | undefined,
  logger: Logger,
  ...removal: Parameters<Audit["removed"]>
): void {
  try {
    audit?.removed(...removal);
  } catch (error) {
    logger.error({ err: error }, "failed to write the audit record of a removed entry");
  }
}

function defaultLogger(): Logger {
  return pino({ name: "membus", level: "warn" }, pino.destination({ fd: 2, sync: true }));
}
