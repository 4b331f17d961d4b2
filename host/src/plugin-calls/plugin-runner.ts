import {
  type Clock,
  isMemoryError,
  type Logger,
  MemoryError,
  type MemoryPlugin,
  type MemoryTier,
  type PluginErasureResult,
  type PluginForgetRequest,
  type PluginForgetResult,
  type PluginListRequest,
  type PluginListResult,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  type PluginServices,
  type PluginStatusResult,
  type PluginStoreRequest,
  type PluginStoreResult,
  type Scope,
  type ScopeSelector,
} from "@membus/protocol";
import type { Metrics } from "../metrics.js";
import type { OperationIdentity } from "../operation.js";
import type { ResolvedHostOptions } from "../options.js";
import { failure, type Outcome, success } from "../outcome.js";
import type { Tracer } from "../tracing/index.js";
import {
  erasureProblem,
  forgetProblem,
  listProblem,
  pageProblem,
  statusProblem,
  storeProblem,
} from "./check-results.js";
import { type CallTerms, Lane, RETRY_AFTER_MS } from "./lane.js";
import type { Features } from "./offered.js";
import { toldError, toldResult } from "./told-error.js";

export interface PluginRunnerDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/**
 * All calls of one tier's plugin: so many at once, checked, and never throwing. What a plugin throws besides
 * `MemoryError`, and what it returns against its contract, is logged and becomes `runtime_error`.
 */
export class PluginRunner {
  readonly tier: MemoryTier;
  readonly plugin: MemoryPlugin;
  readonly #dependencies: PluginRunnerDependencies;
  readonly #reads: Lane;
  readonly #writes: Lane;
  #isOpen = false;
  /** Unix seconds when it last ended well; 0 before. */
  #maintainedAt = 0;
  #maintainFailures = 0;
  /** Since it last ended well. */
  #maintainFailuresInARow = 0;
  /** Said once, as they are asked for every second. */
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
    this.#reads = new Lane({ concurrency: pluginReadConcurrency, queueCountMax }, dependencies.clock);
    this.#writes = new Lane({ concurrency: pluginWriteConcurrency, queueCountMax }, dependencies.clock);
  }

  /** What the plugin declares now: complete once it is open, since it may depend on what the host offers. */
  get features(): Features {
    return this.plugin.manifest.features;
  }

  get name(): string {
    return this.plugin.manifest.name;
  }

  /** Settles when the plugin does. A call that has not begun at `expiresAt` (Unix seconds) never begins. */
  store(scope: Scope, request: PluginStoreRequest, expiresAt: number): Promise<Outcome<PluginStoreResult>> {
    const call = () => this.plugin.onStore(scope, request);
    return this.#call("store", this.#writes, termsOf(scope, expiresAt), call, (result) =>
      storeProblem(result, request),
    );
  }

  retrieve(
    selector: ScopeSelector,
    request: PluginRetrieveRequest,
    expiresAt: number,
  ): Promise<Outcome<PluginRetrieveResult>> {
    const call = () => this.plugin.onRetrieve(selector, request);
    return this.#call("retrieve", this.#reads, termsOf(selector, expiresAt), call, (result) =>
      pageProblem(result, selector, request),
    );
  }

  forget(
    selector: ScopeSelector,
    request: PluginForgetRequest,
    expiresAt: number,
  ): Promise<Outcome<PluginForgetResult>> {
    const call = () => this.plugin.onForget(selector, request);
    return this.#call("forget", this.#writes, termsOf(selector, expiresAt), call, (result) =>
      forgetProblem(result, request),
    );
  }

  /** Of a plugin that declares `list`. */
  list(
    selector: ScopeSelector,
    request: PluginListRequest,
    expiresAt: number,
  ): Promise<Outcome<PluginListResult>> {
    const call = () => this.plugin.onList!(selector, request);
    return this.#call("list", this.#reads, termsOf(selector, expiresAt), call, (result) =>
      listProblem(result, selector, request),
    );
  }

  /** Undefined where the plugin does not know the operation. */
  status(operation: OperationIdentity, expiresAt: number): Promise<Outcome<PluginStatusResult | undefined>> {
    const call = () => this.plugin.onStatus(operation);
    return this.#call("status", this.#reads, termsOf(operation, expiresAt), call, statusProblem);
  }

  /** Of a plugin that declares `erasure`. Undefined where it knows no such forget. */
  erasure(
    operation: OperationIdentity,
    expiresAt: number,
  ): Promise<Outcome<PluginErasureResult | undefined>> {
    const call = () => this.plugin.onErasure!(operation);
    return this.#call("erasure", this.#reads, termsOf(operation, expiresAt), call, erasureProblem);
  }

  /** @throws {MemoryError} `unavailable` naming the plugin, with the cause; or what the plugin threw, where it is one. */
  async open(services: PluginServices): Promise<void> {
    try {
      await this.plugin.open?.(services);
      this.#isOpen = true;
    } catch (cause) {
      if (isMemoryError(cause)) throw cause;
      const message = `the plugin ${this.name} of the ${this.tier} tier did not open: ${String(cause)}`;
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
      this.#log(error, "maintenance failed; it is tried again");
    }
  }

  stats(): Readonly<Record<string, unknown>> {
    const calls_waiting = this.#reads.waitingCount + this.#writes.waitingCount;
    const calls_running = this.#reads.runningCount + this.#writes.runningCount;
    const upkeep = {
      maintained_at: this.#maintainedAt,
      maintain_failures: this.#maintainFailures,
      maintain_failures_in_a_row: this.#maintainFailuresInARow,
    };
    const stats = this.#pluginStats();
    const serving = stats.failed !== 1;
    return { plugin: this.name, serving, calls_running, calls_waiting, ...upkeep, ...stats };
  }

  /** Resolves when every call has really settled, also those that nobody waits for any more. */
  async idle(): Promise<void> {
    await Promise.all([this.#reads.idle(), this.#writes.idle()]);
  }

  /** Refuses calls that wait or come. Those under way go on. */
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
      this.#log(error, "the plugin did not close cleanly");
    }
  }

  async #call<T>(
    operation: string,
    lane: Lane,
    terms: CallTerms,
    call: () => Promise<T>,
    problemOf: (result: T) => string | undefined,
  ): Promise<Outcome<T>> {
    const span = this.#dependencies.tracer.pluginCall(operation, this.tier, this.name);
    const outcome = await this.#checked(lane, terms, () => span.run(call), problemOf);
    span.end(outcome.ok ? "ok" : outcome.error.code);
    return outcome;
  }

  async #checked<T>(
    lane: Lane,
    terms: CallTerms,
    call: () => Promise<T>,
    problemOf: (result: T) => string | undefined,
  ): Promise<Outcome<T>> {
    try {
      const result = await lane.run(call, terms);
      const problem = problemOf(result);
      if (problem !== undefined) return failure(this.#violation(problem));
      return success(toldResult(result, this.#told));
    } catch (error) {
      return failure(isMemoryError(error) ? withRetryAfter(this.#told(error)) : this.#unexpected(error));
    }
  }

  /** What clients are not told is for the operator. */
  readonly #told = (error: MemoryError): MemoryError => {
    const told = toldError(error);
    if (told !== error) this.#log(error, "a plugin's error names a path, which clients are not told");
    return told;
  };

  #violation(problem: string): MemoryError {
    this.#dependencies.metrics.violation(this.tier);
    this.#log(new Error(`returned ${problem}`), "a plugin broke its contract");
    return this.#runtimeError();
  }

  #unexpected(error: unknown): MemoryError {
    this.#log(error, "a plugin failed");
    return this.#runtimeError();
  }

  #runtimeError(): MemoryError {
    return new MemoryError("runtime_error", `the ${this.tier} tier failed`, { tier: this.tier });
  }

  #pluginStats(): Readonly<Record<string, number | string>> {
    try {
      return this.plugin.stats?.() ?? {};
    } catch (error) {
      if (!this.#haveStatsFailed) this.#log(error, "the plugin's stats failed");
      this.#haveStatsFailed = true;
      return {};
    }
  }

  #log(error: unknown, message: string): void {
    this.#dependencies.logger.error({ err: error, tier: this.tier, plugin: this.name }, message);
  }
}

/** In a tier that all agents of a tenant share, they take their turns together. */
function termsOf({ tenant, agent }: Pick<Scope, "tenant" | "agent">, expiresAt: number): CallTerms {
  return { expiresAt, holder: agent === undefined ? tenant : `${tenant}\n${agent}` };
}

/** An `overloaded` always says when to come back (clause ERR-9). */
function withRetryAfter(error: MemoryError): MemoryError {
  if (error.code !== "overloaded" || error.detail.retry_after_ms !== undefined) return error;
  const detail = { ...error.detail, retry_after_ms: RETRY_AFTER_MS };
  return new MemoryError("overloaded", error.message, detail, { cause: error });
}
