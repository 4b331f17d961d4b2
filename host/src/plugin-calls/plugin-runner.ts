import {
  type Clock,
  isMemoryError,
  MemoryError,
  type MemoryTier,
  type Scope,
  type ScopeSelector,
} from "@membus/protocol";
import type {
  Logger,
  MemoryPlugin,
  PluginAgentsRequest,
  PluginAgentsResult,
  PluginErasureResult,
  PluginForgetRequest,
  PluginForgetResult,
  PluginListRequest,
  PluginListResult,
  PluginRetrieveRequest,
  PluginRetrieveResult,
  PluginServices,
  PluginStatusResult,
  PluginStoreRequest,
  PluginStoreResult,
} from "@membus/protocol/plugin";
import type { Metrics } from "../metrics.js";
import type { OperationIdentity } from "../operation.js";
import type { ResolvedHostOptions } from "../options.js";
import { failure, type Outcome, success } from "../outcome.js";
import type { Tracer } from "../tracing/index.js";
import {
  agentsProblem,
  erasureProblem,
  forgetProblem,
  listProblem,
  pageProblem,
  statusProblem,
  storeProblem,
} from "./check-results.js";
import { type CallOptions, ConcurrencyLimiter, RETRY_AFTER_MS } from "./concurrency-limiter.js";
import { type Features, hasFeature } from "./features.js";
import { redactError, redactErrors } from "./redact-error.js";

export interface PluginRunnerDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/**
 * Makes all calls of one tier's plugin. Limits concurrency, validates results and never throws. Errors other
 * than `MemoryError`, and results that violate the plugin contract, are logged and become `runtime_error`.
 */
export class PluginRunner {
  readonly tier: MemoryTier;
  readonly plugin: MemoryPlugin;
  readonly #dependencies: PluginRunnerDependencies;
  readonly #reads: ConcurrencyLimiter;
  readonly #writes: ConcurrencyLimiter;
  #isOpen = false;
  /** Unix seconds of the last successful maintenance, 0 if none. */
  #maintainedAt = 0;
  #maintainFailures = 0;
  /** Failures since the last success. */
  #maintainFailuresInARow = 0;
  /** Whether the failure was logged. It is logged once, because the stats are read every second. */
  #haveStatsFailed = false;

  constructor(
    tier: MemoryTier,
    plugin: MemoryPlugin,
    options: ResolvedHostOptions,
    dependencies: PluginRunnerDependencies,
  ) {
    this.tier = tier;
    this.plugin = plugin;
    this.#dependencies = dependencies;
    const { queueCountMax, pluginReadConcurrency, pluginWriteConcurrency } = options;
    this.#reads = new ConcurrencyLimiter(
      { concurrency: pluginReadConcurrency, queueCountMax },
      dependencies.clock,
    );
    this.#writes = new ConcurrencyLimiter(
      { concurrency: pluginWriteConcurrency, queueCountMax },
      dependencies.clock,
    );
  }

  /**
   * Returns the currently declared features. They are final once the plugin is open, because they may depend
   * on the host's services.
   */
  get features(): Features {
    return this.plugin.manifest.features;
  }

  get name(): string {
    return this.plugin.manifest.name;
  }

  /**
   * Settles when the plugin does. A call that has not started by `expiresAt` (Unix seconds) is not started.
   */
  store(scope: Scope, request: PluginStoreRequest, expiresAt: number): Promise<Outcome<PluginStoreResult>> {
    const call = () => this.plugin.onStore(scope, request);
    return this.#call("store", this.#writes, callOptionsOf(scope, expiresAt), call, (result) =>
      storeProblem(result, request),
    );
  }

  retrieve(
    selector: ScopeSelector,
    request: PluginRetrieveRequest,
    expiresAt: number,
  ): Promise<Outcome<PluginRetrieveResult>> {
    const call = () => this.plugin.onRetrieve(selector, request);
    return this.#call("retrieve", this.#reads, callOptionsOf(selector, expiresAt), call, (result) =>
      pageProblem(result, selector, request, hasFeature(this.features, "approximate")),
    );
  }

  forget(
    selector: ScopeSelector,
    request: PluginForgetRequest,
    expiresAt: number,
  ): Promise<Outcome<PluginForgetResult>> {
    const call = () => this.plugin.onForget(selector, request);
    return this.#call("forget", this.#writes, callOptionsOf(selector, expiresAt), call, (result) =>
      forgetProblem(result, request),
    );
  }

  /** Requires a plugin that declares `list`. */
  list(
    selector: ScopeSelector,
    request: PluginListRequest,
    expiresAt: number,
  ): Promise<Outcome<PluginListResult>> {
    const call = () => this.plugin.onList!(selector, request);
    return this.#call("list", this.#reads, callOptionsOf(selector, expiresAt), call, (result) =>
      listProblem(result, selector, request),
    );
  }

  /** Requires a plugin that declares `agents`. */
  agents(request: PluginAgentsRequest, expiresAt: number): Promise<Outcome<PluginAgentsResult>> {
    const call = () => this.plugin.onAgents!(request);
    const { tenant } = request;
    return this.#call("agents", this.#reads, callOptionsOf({ tenant }, expiresAt), call, (result) =>
      agentsProblem(result, request),
    );
  }

  /** Returns undefined if the plugin does not know the operation. */
  status(operation: OperationIdentity, expiresAt: number): Promise<Outcome<PluginStatusResult | undefined>> {
    const call = () => this.plugin.onStatus(operation);
    return this.#call("status", this.#reads, callOptionsOf(operation, expiresAt), call, statusProblem);
  }

  /** Requires a plugin that declares `erasure`. Returns undefined if it does not know the forget. */
  erasure(
    operation: OperationIdentity,
    expiresAt: number,
  ): Promise<Outcome<PluginErasureResult | undefined>> {
    const call = () => this.plugin.onErasure!(operation);
    return this.#call("erasure", this.#reads, callOptionsOf(operation, expiresAt), call, erasureProblem);
  }

  /**
   * @throws {MemoryError} `unavailable` naming the plugin, with the cause, or the plugin's own `MemoryError`.
   */
  async open(services: PluginServices): Promise<void> {
    try {
      await this.plugin.open?.(services);
      this.#isOpen = true;
    } catch (cause) {
      if (isMemoryError(cause)) throw cause;
      const message = `the plugin ${this.name} of the ${this.tier} tier failed to open: ${String(cause)}`;
      throw new MemoryError("unavailable", message, { tier: this.tier, plugin: this.name }, { cause });
    }
  }

  /** Never rejects. */
  async maintain(): Promise<void> {
    try {
      await this.plugin.maintain?.();
      this.#maintainedAt = this.#dependencies.clock.now();
      this.#maintainFailuresInARow = 0;
    } catch (error) {
      this.#maintainFailures++;
      this.#maintainFailuresInARow++;
      this.#log(error, "maintenance failed, retrying");
    }
  }

  stats(): Readonly<Record<string, unknown>> {
    const calls_waiting = this.#reads.waitingCount + this.#writes.waitingCount;
    const calls_running = this.#reads.runningCount + this.#writes.runningCount;
    const maintenance = {
      maintained_at: this.#maintainedAt,
      maintain_failures: this.#maintainFailures,
      maintain_failures_in_a_row: this.#maintainFailuresInARow,
    };
    const stats = this.#pluginStats();
    const serving = stats.failed !== 1;
    return { plugin: this.name, serving, calls_running, calls_waiting, ...maintenance, ...stats };
  }

  /** Resolves when all calls have settled, including calls without a waiting caller. */
  async idle(): Promise<void> {
    await Promise.all([this.#reads.idle(), this.#writes.idle()]);
  }

  /** Refuses queued and new calls. Running calls continue. */
  refuseCalls(): void {
    this.#reads.close();
    this.#writes.close();
  }

  /** Closes the plugin if it was opened. Never rejects. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    try {
      await this.plugin.close?.();
    } catch (error) {
      this.#log(error, "plugin failed to close");
    }
  }

  async #call<T>(
    operation: string,
    limiter: ConcurrencyLimiter,
    callOptions: CallOptions,
    call: () => Promise<T>,
    problemOf: (result: T) => string | undefined,
  ): Promise<Outcome<T>> {
    const span = this.#dependencies.tracer.pluginCall(operation, this.tier, this.name);
    const outcome = await this.#checked(limiter, callOptions, () => span.run(call), problemOf);
    span.end(outcome.ok ? "ok" : outcome.error.code);
    return outcome;
  }

  async #checked<T>(
    limiter: ConcurrencyLimiter,
    callOptions: CallOptions,
    call: () => Promise<T>,
    problemOf: (result: T) => string | undefined,
  ): Promise<Outcome<T>> {
    try {
      const result = await limiter.run(call, callOptions);
      const problem = problemOf(result);
      if (problem !== undefined) return failure(this.#violation(problem));
      return success(redactErrors(result, this.#redact));
    } catch (error) {
      return failure(isMemoryError(error) ? withRetryAfter(this.#redact(error)) : this.#unexpected(error));
    }
  }

  /** Redacts an error and logs the original for the operator. */
  readonly #redact = (error: MemoryError): MemoryError => {
    const redacted = redactError(error);
    if (redacted !== error) this.#log(error, "redacted a path in a plugin error");
    return redacted;
  };

  #violation(problem: string): MemoryError {
    this.#dependencies.metrics.violation(this.tier);
    this.#log(new Error(`returned ${problem}`), "plugin violated its contract");
    return this.#runtimeError();
  }

  #unexpected(error: unknown): MemoryError {
    this.#log(error, "plugin call failed");
    return this.#runtimeError();
  }

  #runtimeError(): MemoryError {
    return new MemoryError(
      "runtime_error",
      `internal error of the ${this.tier} tier. The host's log has the cause`,
      { tier: this.tier },
    );
  }

  #pluginStats(): Readonly<Record<string, number | string>> {
    try {
      return this.plugin.stats?.() ?? {};
    } catch (error) {
      if (!this.#haveStatsFailed) this.#log(error, "could not read the plugin's stats");
      this.#haveStatsFailed = true;
      return {};
    }
  }

  #log(error: unknown, message: string): void {
    this.#dependencies.logger.error({ err: error, tier: this.tier, plugin: this.name }, message);
  }
}

/** Groups calls by agent. In a tier that all agents of a tenant share, they form one group. */
function callOptionsOf({ tenant, agent }: Pick<Scope, "tenant" | "agent">, expiresAt: number): CallOptions {
  return { expiresAt, group: agent === undefined ? tenant : `${tenant}\n${agent}` };
}

/** Ensures that an `overloaded` error has `retry_after_ms` (clause ERR-9). */
function withRetryAfter(error: MemoryError): MemoryError {
  if (error.code !== "overloaded" || error.detail.retry_after_ms !== undefined) return error;
  const detail = { ...error.detail, retry_after_ms: RETRY_AFTER_MS };
  return new MemoryError("overloaded", error.message, detail, { cause: error });
}
