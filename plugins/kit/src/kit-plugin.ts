import { fileLog, type OpenLog } from "@membus/disk";
import {
  type Clock,
  type MemoryError,
  parseOptions,
  type Scope,
  type ScopeSelector,
  systemClock,
} from "@membus/protocol";
import {
  type FurtherSuite,
  type MemoryPlugin,
  type Operation,
  PLUGIN_CONTRACT,
  type PluginAgentsRequest,
  type PluginAgentsResult,
  type PluginErasureResult,
  type PluginForgetRequest,
  type PluginForgetResult,
  type PluginListRequest,
  type PluginListResult,
  type PluginManifest,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  type PluginServices,
  type PluginStatusResult,
  type PluginStoreRequest,
  type PluginStoreResult,
} from "@membus/protocol/plugin";
import pLimit from "p-limit";
import {
  type FolderLocation,
  type FolderReport,
  idConflict,
  operationKey,
  verifyFolder,
} from "./journal/index.js";
import { type KitOptions, KitOptionsSchema, type ResolvedKitOptions } from "./kit-options.js";
import { type OpenTier, openTier } from "./open-tier.js";
import {
  agents,
  countMissingRows,
  type EarlierAttempt,
  type ErasedCounts,
  erasure,
  forget,
  forgetResult,
  list,
  type RowPage,
  type RowPageRequest,
  readRows,
  recall,
  retrieve,
  status,
  store,
  storeResult,
  type WrittenRows,
  writeRows,
} from "./operations/index.js";
import { type Owner, openFolder, type TierPlace } from "./place/index.js";
import { type StorageQuotaOptions, StorageQuotas } from "./quotas/index.js";
import type { Retention } from "./retention.js";
import type { Row } from "./row.js";
import { type Analyzer, createEnglishAnalyzer } from "./search/index.js";
import type { Storage, StorageContext } from "./storage.js";

/** Name, version, options and backends of a kit plugin. */
export interface KitPluginParts {
  readonly name: string;
  readonly version: string;
  readonly options?: KitOptions;
  /** Turns texts into terms. By default an English analyzer. Rows of another analyzer are analysed again. */
  readonly analyzer?: Analyzer;
  /** Chooses the entries that a tier in memory evicts. Without it, no entry is evicted. */
  readonly retention?: (clock: Clock) => Retention;
  /**
   * Creates the storage of a durable tier. Absent for a tier in memory. The kit opens and closes the storage.
   */
  readonly storage?: (place: StorageContext) => Storage;
  /** Quotas of agents and tenants in a durable tier. A store above them fails with `memory_full`. */
  readonly quotas?: StorageQuotaOptions;
  /** Opens the log of a durable tier. By default a file log with its default options. */
  readonly openLog?: OpenLog;
  /** Opens a durable tier that is not in a folder. It replaces `storage` and `openLog`. */
  readonly openPlace?: (services: PluginServices) => Promise<TierPlace>;
  /**
   * Opens a durable tier's folder without its missing parts, and sets parts of another folder aside.
   * @default false
   */
  readonly acceptLoss?: boolean;
}

const STORAGE_SUITE: FurtherSuite = Object.freeze({
  module: "@membus/plugin-kit/storage-suite",
  tests: "the plugin's `Storage` by `registerStorageSuite`: rows, scopes, removals, expiry and crashes",
});

/**
 * A complete `MemoryPlugin` over a small storage port, with search, filters, paging, revisions, retries and
 * expiry.
 */
export class KitPlugin implements MemoryPlugin {
  readonly #parts: KitPluginParts;
  readonly #options: ResolvedKitOptions;
  readonly #quotas: StorageQuotas | undefined;
  readonly #inFlight = new Map<string, { readonly digest: string; readonly result: unknown }>();
  /** Serialises erasures, because each one writes its owner to the folder's manifest. */
  readonly #erasures = pLimit(1);
  #services: PluginServices | undefined;
  #opened: OpenTier | undefined;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(parts: KitPluginParts) {
    this.#parts = parts;
    this.#options = parseOptions(KitOptionsSchema, parts.options ?? {});
    this.#quotas = parts.quotas && new StorageQuotas(parts.quotas);
  }

  /**
   * Features of the plugin. `similarity`, `rerank` and `shared` are final only after `open`, because they depend
   * on the host.
   */
  get manifest(): PluginManifest {
    return this.manifestFor(this.#services);
  }

  /** Returns the manifest that the plugin has in a host with these services. Undefined: before `open`. */
  manifestFor(services: PluginServices | undefined): PluginManifest {
    const { name, version, retention } = this.#parts;
    return {
      contract: PLUGIN_CONTRACT,
      name,
      version,
      features: {
        similarity: services === undefined || services.embedder !== undefined,
        full_text: true,
        ttl: true,
        durable: this.#openPlace !== undefined,
        shared: services?.tier === "semantic",
        conditional: true,
        eviction: retention !== undefined,
        subtree: true,
        queued: true,
        fields: true,
        recency: true,
        diversity: true,
        expand: true,
        explain: true,
        rerank: services === undefined || services.reranker !== undefined,
        context: true,
        absolute: true,
        generations: true,
        list: true,
        sources: true,
        cascade: true,
        purge: true,
        erasure: true,
        own_only: true,
        snippet: true,
        agents: true,
        approximate: this.#openPlace !== undefined,
      },
    };
  }

  /** The suite for storages, if the tier has one. */
  get furtherSuites(): readonly FurtherSuite[] {
    return this.#parts.storage === undefined ? [] : [STORAGE_SUITE];
  }

  async open(services: PluginServices): Promise<void> {
    const { analyzer = createEnglishAnalyzer(), retention, acceptLoss = false } = this.#parts;
    const openPlace = this.#openPlace;
    this.#opened = await openTier({
      services,
      analyzer,
      options: this.#options,
      durable: openPlace && { openPlace, acceptLoss },
      retention: retention?.(services.clock),
      quotas: this.#quotas,
    });
    this.#services = services;
  }

  async onStore(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult> {
    const tier = this.#openFor(scope);
    return this.#once(request.op, (earlier) => {
      if (earlier === undefined) return store(tier, scope, request);
      return storeResult(earlier.result, { queued: tier.durable && request.ack === "queued" });
    });
  }

  async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<PluginRetrieveResult> {
    return retrieve(this.#openFor(selector), selector, request);
  }

  async onForget(selector: ScopeSelector, request: PluginForgetRequest): Promise<PluginForgetResult> {
    const tier = this.#openFor(selector);
    if (request.dry_run) return forget(tier, selector, request);
    const run = async (earlier: EarlierAttempt | undefined): Promise<PluginForgetResult> => {
      const result = earlier?.done
        ? forgetResult(tier, earlier.result, earlier.at)
        : await forget(tier, selector, request, earlier?.result);
      if (!request.purge) return result;
      // The first attempt may have been killed before its erasure.
      if (!earlier?.isPurged) await tier.erase(selector.tenant);
      tier.operations.markPurged(request.op);
      return { ...result, purge: "done" };
    };
    // Continues a forget that a full disk interrupted, like a retry. A retry during the erasure waits for its end.
    return tier.withFreedSpace(() => this.#once(request.op, run));
  }

  async onStatus(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginStatusResult | undefined> {
    return status(this.#openFor(op), op);
  }

  async onErasure(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginErasureResult | undefined> {
    return erasure(this.#openFor(op), op);
  }

  /**
   * Erases an agent (in the shared tier: the entries it last wrote) or a whole tenant, including cached
   * replies. Resolves once no byte of it, names included, is left on disk. With `dryRun` it only counts.
   * Other owners are served during the erasure. Entries that the owner stores during it may be erased or
   * kept. After a crash, the next `open` continues the erasure.
   * @throws {MemoryError} `unavailable` for a tenant with damaged files.
   */
  async eraseOwner(owner: Owner, { dryRun = false }: { dryRun?: boolean } = {}): Promise<ErasedCounts> {
    const tier = this.#openFor(owner);
    const erase = () => tier.eraseOwner(owner, { dryRun });
    return dryRun ? erase() : this.#erasures(erase);
  }

  /** Writes the logged rows of a durable tier to its storage. @throws {MemoryError} `unavailable` if that fails. They stay in the log. */
  flush(): Promise<void> {
    return this.#open.flush();
  }

  /**
   * Records on disk that an erasure of the owner will follow. If it does not, for example after a crash, the
   * next `open` erases the owner. An erasure that spans several tiers is announced in all of them first, so
   * that it completes in all.
   */
  async announceErasure(owner: Owner): Promise<void> {
    const tier = this.#openFor(owner);
    await this.#erasures(() => tier.announceErasure(owner));
  }

  /**
   * Returns the tenants of a durable tier that may have entries, sorted.
   * @throws {MemoryError} `unsupported` if the storage cannot list them.
   */
  tenants(): readonly string[] {
    return this.#open.tenants();
  }

  /** Returns the scopes of a tenant that may have entries. @throws {MemoryError} `unavailable` for damaged files. */
  scopesOf(tenant: string): Promise<readonly Scope[]> {
    return this.#openFor({ tenant }).registry.selectOwned({ tenant });
  }

  /** Reads the entries of a scope in pages. */
  readRows(scope: Scope, request: RowPageRequest): Promise<RowPage> {
    return readRows(this.#openFor(scope), scope, request);
  }

  /**
   * Writes entries of another folder or cluster with their revisions and times. An entry with a later revision is kept.
   * @throws {MemoryError} `conflict` for another entry with the same revision, `memory_full` for too many entries in the scope.
   */
  writeRows(scope: Scope, rows: readonly Row[]): Promise<WrittenRows> {
    return writeRows(this.#openFor(scope), scope, rows);
  }

  /** Returns how many of the rows are neither there in the same revision nor in a later one. @throws {MemoryError} as `writeRows`. */
  countMissingRows(scope: Scope, rows: readonly Row[]): Promise<number> {
    return countMissingRows(this.#openFor(scope), scope, rows);
  }

  async onList(selector: ScopeSelector, request: PluginListRequest): Promise<PluginListResult> {
    return list(this.#openFor(selector), selector, request);
  }

  async onAgents(request: PluginAgentsRequest): Promise<PluginAgentsResult> {
    return agents(this.#openFor(request), request);
  }

  async maintain(): Promise<void> {
    await this.#open.maintain();
  }

  /**
   * Writes a snapshot of a durable tier's folder to the new directory `target`. A plugin can open a copy of
   * it. The snapshot contains every acknowledged entry and no forgotten one. Stores continue during the
   * snapshot.
   *
   * If the file system supports links, the files are links to the tier's own files. Copy them, do not write
   * to them, and remove them soon, because they keep the bytes of entries that are forgotten later. A tier in
   * memory that has a folder stores its revision mark.
   * @throws {MemoryError} `unsupported` if the storage has no snapshots, `unavailable` while the log cannot
   * be written.
   */
  async snapshot(target: string): Promise<void> {
    await this.#open.snapshot(target);
  }

  /**
   * Verifies the complete folder of a durable tier: log, parts, rows with their checksums, keys, revisions,
   * counts and indexes. It needs no `open` and changes nothing. The folder must not be open. Returns
   * undefined for a tier in memory.
   */
  async verify(place: FolderLocation): Promise<FolderReport | undefined> {
    const { storage } = this.#parts;
    if (storage === undefined) return undefined;
    return verifyFolder(storage({ ...place, clock: systemClock, dimensions: 1, embedder: "" }), place);
  }

  /**
   * Verifies the tables and the log of this open tier. Requests are still served. Flushes wait. Returns undefined for a
   * tier in memory.
   * @throws {MemoryError} `unavailable` if the log or the storage cannot be reached.
   */
  verifyOpen(): Promise<FolderReport | undefined> {
    return this.#open.verify();
  }

  /**
   * Damage of a durable tier, with the damaged parts in its detail. Requests of their tenants are refused. Undefined
   * without damage.
   */
  get damage(): MemoryError | undefined {
    return this.#opened?.damage();
  }

  stats(): Readonly<Record<string, number | string>> {
    return this.#opened?.stats() ?? {};
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#services = undefined;
    await this.#erasures(async () => undefined);
    await opened?.close();
  }

  /** Opens the place of a durable tier. Undefined for a tier in memory. */
  get #openPlace(): KitPluginParts["openPlace"] {
    const { storage, openLog = fileLog(), openPlace } = this.#parts;
    if (openPlace !== undefined || storage === undefined) return openPlace;
    const { diskReserveBytes: reserveBytes } = this.#options;
    return (services) => openFolder({ storage, openLog, reserveBytes }, services);
  }

  get #open(): OpenTier {
    if (this.#opened === undefined) throw new TypeError(`${this.#parts.name} is not open`);
    return this.#opened;
  }

  /** @throws {MemoryError} `unavailable` for a tenant with damaged files. */
  #openFor({ tenant }: Pick<Scope, "tenant">): OpenTier {
    this.#open.checkTenant(tenant);
    return this.#open;
  }

  /**
   * Runs an operation with the remembered result of an earlier attempt. A request that is repeated during its
   * run shares that run (clause RETRY-3).
   */
  async #once<T>(op: Operation, run: (earlier: EarlierAttempt | undefined) => T | Promise<T>): Promise<T> {
    const key = operationKey(op);
    const running = this.#inFlight.get(key);
    if (running !== undefined) {
      if (running.digest !== op.digest) throw idConflict(op);
      return running.result as Promise<T>;
    }
    const found = this.#open.operations.find(op);
    const result = found === undefined ? run(undefined) : recall(this.#open, op).then(run);
    this.#inFlight.set(key, { digest: op.digest, result });
    try {
      return await result;
    } finally {
      this.#inFlight.delete(key);
    }
  }
}
