import { hostSubjects, MemoryError, type MemoryTier, parseOptions, withTimeout } from "@membus/protocol";
import type { Bus, BusSubscription } from "@membus/protocol/plugin";
import { v7 as uuidv7 } from "uuid";
import { type Assembly, assemble, type HostDependencies } from "./assembly.js";
import {
  Discovery,
  type HostIdentity,
  type HostState,
  HostWatch,
  QUEUE_GROUP,
  requireOnlyHost,
  serviceMetadata,
} from "./discovery/index.js";
import { ReindexEvents } from "./events/index.js";
import { LATENCY_BOUNDS_MS, type MetricsSnapshot } from "./metrics.js";
import { type HostOptions, HostOptionsSchema, type ResolvedHostOptions } from "./options.js";
import { Maintenance, type PluginRunner } from "./plugin-calls/index.js";
import { ProcessMetrics, type ProcessStats } from "./process-metrics.js";

export interface HostStats extends MetricsSnapshot {
  readonly id: string;
  readonly state: HostState;
  readonly inFlight: { readonly count: number; readonly bytes: number; readonly mutationCount: number };
  readonly process: ProcessStats;
  /**
   * Statistics of each served tier: plugin name, running and waiting calls, and the plugin's own statistics.
   */
  readonly tiers: Readonly<Partial<Record<MemoryTier, Readonly<Record<string, unknown>>>>>;
}

/** The membus server for one prefix. See `createHost`. */
export class Host {
  /** UUID of this host, reported by discovery and `pong`. */
  readonly id: string = uuidv7();
  readonly #bus: Bus;
  readonly #options: ResolvedHostOptions;
  readonly #identity: HostIdentity;
  readonly #parts: Assembly;
  readonly #runners: readonly PluginRunner[];
  readonly #discovery: Discovery;
  readonly #watch: HostWatch;
  readonly #maintenance: Maintenance;
  readonly #reindexEvents: ReindexEvents;
  readonly #process: ProcessMetrics;
  #subscriptions: BusSubscription[] = [];
  #state: HostState = "created";
  /** Unix seconds. */
  #servingSince: number | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #conflict: MemoryError | undefined;
  #onStopped: (reason: MemoryError | undefined) => void = () => {};
  /**
   * Resolves when the host has stopped. The value is undefined, or a `conflict` if the host stopped because
   * another host has served the same prefix and tenants for longer.
   */
  readonly stopped = new Promise<MemoryError | undefined>((resolve) => {
    this.#onStopped = resolve;
  });

  constructor(dependencies: HostDependencies, options: HostOptions) {
    this.#bus = dependencies.bus;
    this.#options = parseOptions(HostOptionsSchema, options);
    this.#parts = assemble(dependencies, this.#options, this.id);
    const { runtime } = this.#parts;
    this.#runners = [...runtime.tiers.values()];
    this.#process = new ProcessMetrics(runtime.clock);
    this.#maintenance = new Maintenance(runtime.clock, this.#options.maintainIntervalMs);
    const servingMs = () => this.#servingMs();
    const { cluster, clusterHost } = dependencies;
    this.#identity = { hostId: this.id, options: this.#options, cluster };
    const shared = { bus: this.#bus, ...this.#identity };
    this.#discovery = new Discovery({
      ...shared,
      metrics: this.#parts.metrics,
      startedAt: runtime.clock.now(),
      statistics: () => this.#statistics(),
      metadata: () =>
        serviceMetadata({
          ...{ ...runtime, ...this.#identity, clusterHost },
          ...{ state: this.#state, servingMs: servingMs() },
        }),
    });
    const onOlderHost = (error: MemoryError) => this.#stopForOlderHost(error);
    const { clock, logger } = runtime;
    this.#watch = new HostWatch({ ...shared, clock, servingMs, onOlderHost });
    this.#reindexEvents = new ReindexEvents({ ...shared, clock, logger });
  }

  /**
   * Opens the plugins, checks that no other host serves the same prefix and tenants, and subscribes. Once it
   * resolves, requests are served. If it rejects, everything it opened is closed again.
   * @throws {MemoryError} `conflict` naming the other host. `unavailable` if a plugin fails to open or the
   * bus is not connected. `unauthorized` if the server refuses a subscription.
   */
  start(): Promise<void> {
    if (this.#state !== "created")
      throw new TypeError("a host can be started only once. Create a new one with createHost()");
    this.#state = "starting";
    this.#starting = this.#start();
    return this.#starting;
  }

  /**
   * Unsubscribes, answers all running requests (with `unavailable` after `drainTimeoutMs`), and closes the
   * plugins. The bus stays open. Further calls wait for the same shutdown.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  stats(): HostStats {
    const { admission, metrics, runtime } = this.#parts;
    const { count, bytes } = admission;
    return {
      id: this.id,
      state: this.#state,
      inFlight: { count, bytes, mutationCount: runtime.inFlight.count },
      process: this.#process.stats(),
      tiers: this.#tierStats(),
      ...metrics.snapshot(),
    };
  }

  #tierStats(): HostStats["tiers"] {
    return Object.fromEntries(this.#runners.map((runner) => [runner.tier, runner.stats()]));
  }

  /** Returns the fields of `$SRV.STATS` in addition to the endpoints. */
  #statistics(): object {
    const { inFlight, process, tiers, requests, dropped, refused, violations, eventsPublished } =
      this.stats();
    const outcomes = Object.entries(requests).map(([type, stats]) => [type, stats?.outcomes]);
    const latencies = Object.entries(requests).map(([type, stats]) => [type, stats?.latency.counts]);
    return {
      tiers,
      process,
      in_flight: { requests: inFlight.count, bytes: inFlight.bytes, mutations: inFlight.mutationCount },
      outcomes: Object.fromEntries(outcomes),
      latency: { bounds_ms: LATENCY_BOUNDS_MS, counts: Object.fromEntries(latencies) },
      dropped,
      refused,
      violations,
      events_published: eventsPublished,
    };
  }

  async #start(): Promise<void> {
    try {
      this.#process.start();
      this.#discovery.start();
      await this.#bus.flush();
      const { servicesOf, tracer } = this.#parts;
      await tracer.load();
      const opening = this.#runners.map((runner) => runner.open(servicesOf(runner)));
      await allOrFirstError([this.#requireOnlyHost(), ...opening]);
      this.#listen();
      await this.#bus.flush();
      this.#state = "serving";
      this.#servingSince = this.#parts.runtime.clock.now();
      this.#watch.start();
      for (const runner of this.#runners) this.#maintenance.start(runner);
      this.#reindexEvents.start(this.#runners);
    } catch (error) {
      await this.#shutDown();
      throw error;
    }
  }

  async #requireOnlyHost(): Promise<void> {
    try {
      await requireOnlyHost(this.#bus, this.#identity);
    } catch (error) {
      // Set now, because other hosts wait for this state and plugins may take long to open.
      this.#state = "stopping";
      throw error;
    }
  }

  #listen(): void {
    const { prefix, tenants } = this.#options;
    const { router } = this.#parts;
    // Tokens of the prefix, the tenant and the agent.
    const intake = { ...router.intake, senderTokens: prefix.split(".").length + 2 };
    for (const subject of tenants.flatMap((tenant) => hostSubjects(prefix, tenant))) {
      const subscription = this.#bus.subscribe(subject, router.receive, { queue: QUEUE_GROUP, intake });
      this.#subscriptions.push(subscription);
    }
  }

  #servingMs(): number {
    if (this.#servingSince === undefined) return 0;
    return (this.#parts.runtime.clock.now() - this.#servingSince) * 1_000;
  }

  #stopForOlderHost(error: MemoryError): void {
    if (this.#stopping !== undefined) return;
    this.#conflict = error;
    const { logger } = this.#parts.runtime;
    logger.error({ err: error }, "stopping: another host has served this prefix for longer");
    void this.stop();
  }

  async #stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    if (this.#state !== "stopped") await this.#shutDown();
  }

  async #shutDown(): Promise<void> {
    this.#state = "stopping";
    const { runtime, admission } = this.#parts;
    const { drainTimeoutMs, closeTimeoutMs } = this.#options;
    await this.#within(drainTimeoutMs, this.#drain(), "requests are still running");
    for (const runner of this.#runners) runner.refuseCalls();
    runtime.deadlines.failAll(new MemoryError("unavailable", "the host is shutting down. Retry later"));
    await admission.idle();
    runtime.events.release();
    this.#reindexEvents.stop();
    await this.#within(drainTimeoutMs, this.#bus.flush(), "the last replies may not have been sent");
    await this.#within(closeTimeoutMs, this.#maintenance.stop(), "maintenance is still running");
    await Promise.all(
      this.#runners.map((runner) =>
        this.#within(closeTimeoutMs, runner.close(), `the ${runner.tier} tier is still closing`),
      ),
    );
    this.#process.stop();
    this.#state = "stopped";
    this.#onStopped(this.#conflict);
  }

  async #drain(): Promise<void> {
    const subscriptions = this.#subscriptions.splice(0).map((subscription) => subscription.drain());
    await Promise.all([this.#discovery.stop(), this.#watch.stop(), ...subscriptions]);
    await this.#parts.admission.idle();
    await Promise.all(this.#runners.map((runner) => runner.idle()));
  }

  async #within(timeoutMs: number, work: Promise<void>, warning: string): Promise<void> {
    const { clock, logger } = this.#parts.runtime;
    const ended = work.then(
      () => true,
      (error: unknown) => {
        logger.error({ err: error }, "a shutdown step failed");
        return true;
      },
    );
    if (await withTimeout(clock, timeoutMs, ended)) return;
    logger.error({ timeoutMs }, `shutdown timeout: continuing although ${warning}`);
  }
}

/** Waits for all promises, so that nothing is still opening when the first error is thrown. */
async function allOrFirstError(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/**
 * Creates a host: the server between a bus and one plugin per tier. It does nothing until `start`.
 * @throws {TypeError} For an unknown option, a value out of range, or plugins that cannot be served.
 */
export function createHost(dependencies: HostDependencies, options: HostOptions = {}): Host {
  return new Host(dependencies, options);
}
