import {
  type Bus,
  type Clock,
  type Embedder,
  type Logger,
  type MemoryPlugin,
  type MemoryTier,
  type PluginServices,
  type Reranker,
  systemClock,
} from "@membus/protocol";
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
  /** Stays its owner's: the host neither connects nor closes it. */
  readonly bus: Bus;
  /** One instance per tier; at least one. */
  readonly plugins: Readonly<Partial<Record<MemoryTier, MemoryPlugin>>>;
  /** Offered to the plugins, cached. Without one, vectors are refused. */
  readonly embedder?: Embedder;
  /** Offered to the plugins as it is. Without one, `rerank` is refused. */
  readonly reranker?: Reranker;
  readonly clock?: Clock;
  /** Default: pino on standard error, warnings and errors. */
  readonly logger?: Logger;
  /** Where records go: of each request, dropped message and removed entry. Without one none is made. */
  readonly audit?: AuditSink;
  /** What keys are hashed with in these records; without one each host has another, and nobody can look keys up. */
  readonly auditSecret?: Uint8Array;
  /** Where the plugin of a tier may write. lru needs none; with one its revisions grow over restarts too. */
  readonly dataDirectories?: Readonly<Partial<Record<MemoryTier, string>>>;
  /** Without one every namespace may be used. */
  readonly allowNamespace?: NamespaceRule;
}

/** The parts of a host, put together. Nothing runs yet. */
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

/** Never throws: a plugin may report anything, and a sink may fail. */
function recordRemoval(
  audit: Audit | undefined,
  logger: Logger,
  ...removal: Parameters<Audit["removed"]>
): void {
  try {
    audit?.removed(...removal);
  } catch (error) {
    logger.error({ err: error }, "an entry was removed, but not recorded");
  }
}

function defaultLogger(): Logger {
  return pino({ name: "membus", level: "warn" }, pino.destination({ fd: 2, sync: true }));
}
