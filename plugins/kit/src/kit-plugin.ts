import { fileLog, type OpenLog, SerialQueue } from "@membus/disk";
import {
  type Clock,
  type MemoryPlugin,
  type Operation,
  PLUGIN_CONTRACT,
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
  type Scope,
  type ScopeSelector,
  systemClock,
} from "@membus/protocol";
import {
  type FolderPlace,
  type FolderReport,
  idConflict,
  type OperationResult,
  type Owner,
  operationKey,
  type RememberedOperation,
  verifyFolder,
} from "./journal/index.js";
import type { KitOptions, ResolvedKitOptions } from "./kit-options.js";
import { resolveKitOptions } from "./kit-options.js";
import { type OpenTier, openTier } from "./open-tier.js";
import {
  erasure,
  forget,
  forgetResult,
  list,
  type OwnedCounts,
  retrieve,
  status,
  store,
  storeResult,
} from "./operations/index.js";
import { HeldBook, type HeldQuotas } from "./quotas/index.js";
import type { Retention } from "./retention.js";
import { type Analyzer, createEnglishAnalyzer } from "./search/index.js";
import type { Storage, StoragePlace } from "./storage.js";

/** What makes a kit plugin the one it is. */
export interface KitPluginParts {
  readonly name: string;
  readonly version: string;
  readonly options?: KitOptions;
  /** Turns texts into terms; by default English ones. Rows of another analyzer are analysed anew. */
  readonly analyzer?: Analyzer;
  /** Chooses what a tier in memory drops. Without one it drops nothing. */
  readonly retention?: (clock: Clock) => Retention;
  /** Where a durable tier keeps its rows; absent for a tier in memory. The kit opens and closes it. */
  readonly storage?: (place: StoragePlace) => Storage;
  /** What agents and tenants may hold in a durable tier: a store of more is `memory_full`. */
  readonly quotas?: HeldQuotas;
  /** What makes a durable tier's operations last. By default a file log with its default options. */
  readonly openLog?: OpenLog;
  /**
   * Opens a durable tier's folder also when parts of it are missing or another folder's, without them.
   * @default false
   */
  readonly acceptLoss?: boolean;
}

/** What an earlier attempt of an operation came to, and whether it came to its end. */
interface Earlier {
  readonly result: OperationResult;
  readonly at: number;
  readonly done: boolean;
}

/** A whole `MemoryPlugin` over a small storage port: search, filters, paging, revisions, retries and expiry included. */
export class KitPlugin implements MemoryPlugin {
  readonly #parts: KitPluginParts;
  readonly #options: ResolvedKitOptions;
  readonly #quotas: HeldBook | undefined;
  readonly #inFlight = new Map<string, { readonly digest: string; readonly result: unknown }>();
  /** One at a time: each keeps in the folder's manifest whose it is. */
  readonly #erasures = new SerialQueue();
  #opened: OpenTier | undefined;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(parts: KitPluginParts) {
    this.#parts = parts;
    this.#options = resolveKitOptions(parts.options ?? {});
    this.#quotas = parts.quotas && new HeldBook(parts.quotas);
  }

  /** Complete once open: similarity and reranking depend on what the host has. */
  get manifest(): PluginManifest {
    const { name, version, storage, retention } = this.#parts;
    const opened = this.#opened;
    return {
      contract: PLUGIN_CONTRACT,
      name,
      version,
      features: {
        similarity: opened === undefined || opened.embedder !== undefined,
        full_text: true,
        ttl: true,
        durable: storage !== undefined,
        shared: opened?.isShared ?? false,
        conditional: true,
        eviction: retention !== undefined,
        subtree: true,
        queued: true,
        fields: true,
        recency: true,
        diversity: true,
        expand: true,
        explain: true,
        rerank: opened === undefined || opened.reranker !== undefined,
        context: true,
        absolute: true,
        generations: true,
        list: true,
        sources: true,
        cascade: true,
        purge: true,
        erasure: true,
        own_only: true,
      },
    };
  }

  async open(services: PluginServices): Promise<void> {
    const { analyzer = createEnglishAnalyzer(), storage, openLog = fileLog(), retention } = this.#parts;
    this.#opened = await openTier({
      services,
      analyzer,
      options: this.#options,
      durable: storage && { storage, openLog, acceptLoss: this.#parts.acceptLoss ?? false },
      retention: retention?.(services.clock),
      quotas: this.#quotas,
    });
  }

  async onStore(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult> {
    const tier = this.#openFor(scope);
    return this.#once(request.op, (earlier) => {
      if (earlier === undefined) return store(tier, scope, notBefore(tier.clockFloor, request));
      return storeResult(earlier.result, { queued: tier.durable && request.ack === "queued" });
    });
  }

  async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<PluginRetrieveResult> {
    return retrieve(this.#openFor(selector), selector, request);
  }

  async onForget(selector: ScopeSelector, request: PluginForgetRequest): Promise<PluginForgetResult> {
    const tier = this.#openFor(selector);
    if (request.dry_run) return forget(tier, selector, request, 0);
    const run = (earlier: Earlier | undefined) => {
      if (earlier?.done) return forgetResult(tier, earlier.result, earlier.at);
      return forget(tier, selector, notBefore(tier.clockFloor, request), earlier?.result.deleted ?? 0);
    };
    // What a full disk has cut short goes on as a retry would.
    const result = await tier.withRoom(() => this.#once(request.op, run));
    if (!request.purge) return result;
    // Also for a retry: the first attempt may have been killed on the way.
    await tier.withRoom(() => tier.erase(selector.tenant));
    return { ...result, purge: "done" };
  }

  async onStatus(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginStatusResult | undefined> {
    return status(this.#openFor(op), op);
  }

  async onErasure(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginErasureResult | undefined> {
    return erasure(this.#openFor(op), op);
  }

  /**
   * For an operator: takes all that an agent has, in the shared tier what it wrote last, or a whole tenant, and its remembered
   * replies, and ends when no byte of it is left on disk, names included. Others are served meanwhile. What the owner stores
   * meanwhile may go or stay. With `dryRun` only counts. Killed on the way, the next `open` goes on.
   * @throws {MemoryError} `unavailable` for a tenant whose files are damaged.
   */
  async eraseOwner(owner: Owner, { dryRun = false }: { dryRun?: boolean } = {}): Promise<OwnedCounts> {
    const tier = this.#openFor(owner);
    const erase = () => tier.eraseOwner(owner, { dryRun });
    return dryRun ? erase() : this.#erasures.run(erase);
  }

  /**
   * An erasure of the owner is to come: if it does not, as after a crash, the next `open` erases. So that what is to be gone
   * from several tiers goes from all. Resolves when that is on disk.
   */
  async announceErasure(owner: Owner): Promise<void> {
    const tier = this.#openFor(owner);
    await this.#erasures.run(() => tier.announceErasure(owner));
  }

  async onList(selector: ScopeSelector, request: PluginListRequest): Promise<PluginListResult> {
    return list(this.#openFor(selector), selector, request);
  }

  async maintain(): Promise<void> {
    await this.#open.maintain();
  }

  /**
   * Puts the folder of a durable tier, as it is at one point of its log, into `target`, which is made: a plugin opens a
   * copy of it. All that is acknowledged by now is in it, and nothing that is forgotten by now. Stores go on meanwhile.
   * Where the file system can, its files are the tier's own under other names: they are to be copied, not written to, and
   * to be removed soon, as they keep the bytes of what is forgotten later. In memory: how far revisions are,
   * where the tier has a folder.
   * @throws {MemoryError} `unsupported` where the storage cannot, `unavailable` while the log cannot be written.
   */
  async snapshot(target: string): Promise<void> {
    await this.#open.snapshot(target);
  }

  /**
   * Reads the folder of a durable tier from end to end: log, parts, rows and their checksums, keys, revisions, counts and
   * indexes. It needs no `open`, nobody may have the folder open, and nothing in it is changed. In memory: undefined.
   */
  async verify(place: FolderPlace): Promise<FolderReport | undefined> {
    const { storage } = this.#parts;
    if (storage === undefined) return undefined;
    return verifyFolder(storage({ ...place, clock: systemClock, dimensions: 1, embedder: "" }), place);
  }

  stats(): Readonly<Record<string, number | string>> {
    return this.#opened?.stats() ?? {};
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await this.#erasures.run(async () => undefined);
    await opened?.close();
  }

  get #open(): OpenTier {
    if (this.#opened === undefined) throw new TypeError(`${this.#parts.name} is not open`);
    return this.#opened;
  }

  /** @throws {MemoryError} `unavailable` for a tenant whose files are damaged. */
  #openFor({ tenant }: Pick<Scope, "tenant">): OpenTier {
    this.#open.admit(tenant);
    return this.#open;
  }

  /**
   * Runs an operation, which learns what is remembered of it. A request that is repeated while it runs shares its run
   * (clause RETRY-3).
   */
  async #once<T>(op: Operation, run: (earlier: Earlier | undefined) => T | Promise<T>): Promise<T> {
    const key = operationKey(op);
    const running = this.#inFlight.get(key);
    if (running !== undefined) {
      if (running.digest !== op.digest) throw idConflict(op);
      return running.result as Promise<T>;
    }
    const found = this.#open.operations.find(op);
    const result = found === undefined ? run(undefined) : this.#recall(found).then(run);
    this.#inFlight.set(key, { digest: op.digest, result });
    try {
      return await result;
    } finally {
      this.#inFlight.delete(key);
    }
  }

  async #recall({ place, at, done }: RememberedOperation): Promise<Earlier | undefined> {
    const result = await this.#open.journal.resultAt(place);
    return result && { result, at, done };
  }
}

/** The request as it counts after the machine's clock was set back: accepted no earlier than what is on disk. */
function notBefore<Request extends { readonly op: Operation }>(at: number, request: Request): Request {
  const { op } = request;
  return op.accepted_at >= at ? request : { ...request, op: { ...op, accepted_at: at } };
}
