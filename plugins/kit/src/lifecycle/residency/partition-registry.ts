import {
  type Clock,
  haveSameCaller,
  MemoryError,
  parseScopeId,
  type Scope,
  type ScopeSelector,
  scopeId,
  selectsScope,
} from "@membus/protocol";
import type { Partition } from "../../search/index.js";
import { Yielder } from "../../yielder.js";
import { LoadedPartition } from "./loaded-partition.js";

export interface RegistryOptions {
  /**
   * Memory limit of loaded partitions. Above it the least recently used are unloaded, except the last one.
   * Bytes.
   */
  readonly residentBytesMax: number;
}

export interface RegistryDependencies {
  readonly clock: Clock;
  /** Loads the partition of a scope from the stored rows. */
  load(scope: string): Promise<Partition>;
  /** Called when the size of a partition may have changed. */
  measured?(loaded: LoadedPartition): void;
  /** Returns false if unloading would lose data or is not worthwhile. */
  mayUnload(loaded: LoadedPartition): boolean;
  /** False if an empty partition stays loaded, because loading it again takes time. */
  readonly unloadsEmpty: boolean;
  /** Time above all revisions of earlier processes, even if the clock was set back. Unix seconds. */
  readonly newestAt: number;
  /** Returns whether all changes of a scope that is not loaded are in storage. */
  isStored(scope: string): boolean;
  /** Returns every stored scope of the tenant, loaded or not. */
  storedScopes(tenant: string): Promise<Iterable<Scope>>;
}

/** The loaded partitions. Each is loaded once at first use, and unloaded above a memory limit. */
export class PartitionRegistry {
  /** In order of use. The first is unloaded first. */
  readonly #partitions = new Map<string, LoadedPartition>();
  /** The partitions by tenant, so that the cost for a tenant does not depend on the number of others. */
  readonly #byTenant = new Map<string, Set<LoadedPartition>>();
  readonly #loading = new Map<string, Promise<void>>();
  #sizeBytes = 0;
  /** A revision that is not below any of the partitions that are not loaded, even if the clock is set back. */
  #unloadedRevision: number;
  #loaded: (loaded: LoadedPartition) => void = () => {};

  constructor(
    readonly options: RegistryOptions,
    readonly dependencies: RegistryDependencies,
  ) {
    this.#unloadedRevision = Math.floor(dependencies.newestAt * 1e6) - 1;
  }

  /** Runs `use` on the partition of a scope, which stays loaded during the call. */
  async use<T>(scope: Scope, use: (loaded: LoadedPartition) => T | Promise<T>): Promise<T> {
    const id = scopeId(scope);
    let loaded = this.#partitions.get(id);
    while (loaded === undefined) {
      await this.#load(id);
      // It may have been unloaded again while other requests ran.
      loaded = this.#partitions.get(id);
    }
    this.#acquire(loaded);
    try {
      return await use(loaded);
    } finally {
      this.#endUse(loaded);
    }
  }

  /**
   * Returns the non-empty scopes that a selector selects, in order of their ids.
   * @throws {MemoryError} `too_large` for more than `countMax` scopes, without a look at the remaining ones.
   */
  async select(selector: ScopeSelector, countMax = Number.POSITIVE_INFINITY): Promise<Scope[]> {
    if (!selector.subtree) return [exactScope(selector)];
    return this.#selectWhere(selector.tenant, (scope) => selectsScope(selector, scope), countMax);
  }

  /** Returns the scopes of the selector's caller in every namespace. */
  async selectCaller(selector: ScopeSelector): Promise<Scope[]> {
    return this.#selectWhere(selector.tenant, (scope) => haveSameCaller(selector, scope));
  }

  /** Returns the scopes of an agent and the shared scopes, or without `agent` all of the tenant. */
  async selectOwned({ tenant, agent }: Pick<Scope, "tenant" | "agent">): Promise<Scope[]> {
    const isOwned = (scope: Scope) => (scope.agent ?? agent) === agent || agent === undefined;
    return this.#selectWhere(tenant, isOwned);
  }

  /** Returns the agents that have a non-empty scope of the tenant, in no order. */
  async agents(tenant: string): Promise<ReadonlySet<string>> {
    const stored = await this.dependencies.storedScopes(tenant);
    const agents = new Set<string>();
    for (const { scope, isEmpty } of this.#byTenant.get(tenant) ?? []) {
      if (scope.agent !== undefined && !isEmpty) agents.add(scope.agent);
    }
    const yielder = new Yielder();
    for (const scope of stored) {
      const { agent } = scope;
      if (agent === undefined || agents.has(agent)) continue;
      if (await this.#hasEntries(scope)) agents.add(agent);
      await yielder.yieldIfDue();
    }
    return agents;
  }

  /** Loads a stored scope only if it may have lost its last entry since it was stored. */
  async #hasEntries(scope: Scope): Promise<boolean> {
    const id = scopeId(scope);
    const loaded = this.#partitions.get(id);
    if (loaded !== undefined) return !loaded.isEmpty;
    return this.dependencies.isStored(id) || this.use(scope, ({ isEmpty }) => !isEmpty);
  }

  async #selectWhere(
    tenant: string,
    isSelected: (scope: Scope) => boolean,
    countMax = Number.POSITIVE_INFINITY,
  ): Promise<Scope[]> {
    const stored = await this.dependencies.storedScopes(tenant);
    const empty = new Set<string>();
    const selected = new Map<string, Scope>();
    const add = (id: string, scope: Scope) => {
      if (empty.has(id)) return;
      selected.set(id, scope);
      checkPartitionCount(selected.size, countMax);
    };
    for (const loaded of this.#byTenant.get(tenant) ?? []) {
      if (!isSelected(loaded.scope)) continue;
      if (loaded.isEmpty) empty.add(loaded.id);
      else add(loaded.id, loaded.scope);
    }
    for (const scope of stored) if (isSelected(scope)) add(scopeId(scope), scope);
    return [...selected.keys()].sort().map((id) => selected.get(id)!);
  }

  /** Keeps a partition loaded after its current use, until `release`. */
  retain(loaded: LoadedPartition): void {
    this.#acquire(loaded);
  }

  release(loaded: LoadedPartition): void {
    this.#endUse(loaded);
  }

  get partitions(): Iterable<LoadedPartition> {
    return this.#partitions.values();
  }

  peek(id: string): LoadedPartition | undefined {
    return this.#partitions.get(id);
  }

  /** Unloads an empty partition if it is not in use. */
  unloadEmpty(loaded: LoadedPartition): void {
    const { unloadsEmpty } = this.dependencies;
    if (unloadsEmpty && loaded.isEmpty && this.#mayUnload(loaded)) this.#unload(loaded);
  }

  /** Calls `listener` for every loaded partition. */
  onLoaded(listener: (loaded: LoadedPartition) => void): void {
    this.#loaded = listener;
  }

  /** Unloads all partitions. Background work on them ends. */
  clear(): void {
    for (const loaded of this.#partitions.values()) loaded.isUnloaded = true;
    this.#partitions.clear();
    this.#byTenant.clear();
    this.#sizeBytes = 0;
  }

  get stats(): { partitions: number; partition_bytes: number; partitions_searched_on_disk: number } {
    let onDisk = 0;
    for (const { partition } of this.#partitions.values())
      if (partition.vectors?.isResident === false) onDisk++;
    return {
      partitions: this.#partitions.size,
      partition_bytes: this.#sizeBytes,
      partitions_searched_on_disk: onDisk,
    };
  }

  #load(id: string): Promise<void> {
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      loading = this.#loadAndAdmit(id).finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  async #loadAndAdmit(id: string): Promise<void> {
    const partition = await this.dependencies.load(id);
    const loaded = new LoadedPartition(id, parseScopeId(id), partition, this.#unloadedRevision);
    this.#partitions.set(id, loaded);
    this.#addToTenant(loaded);
    this.measure(loaded);
    this.#loaded(loaded);
  }

  #acquire(loaded: LoadedPartition): void {
    loaded.users++;
    loaded.usedAt = this.dependencies.clock.now();
    this.#partitions.delete(loaded.id);
    this.#partitions.set(loaded.id, loaded);
  }

  #endUse(loaded: LoadedPartition): void {
    loaded.users--;
    this.measure(loaded);
    this.unloadEmpty(loaded);
    for (const candidate of this.#partitions.values()) {
      // The last one stays, even above the limit. Otherwise each request would load it again.
      if (this.#sizeBytes <= this.options.residentBytesMax || this.#partitions.size === 1) return;
      if (this.#mayUnload(candidate)) this.#unload(candidate);
    }
  }

  #mayUnload(loaded: LoadedPartition): boolean {
    const now = Math.floor(this.dependencies.clock.now() * 1e6);
    // The next revisions of other partitions follow this one. With a clock that is not behind, they follow the
    // time, so that no partition's revisions depend on another partition.
    const isCovered = loaded.lastRevision < now || now <= this.#unloadedRevision;
    return isCovered && loaded.mayUnload && this.dependencies.mayUnload(loaded);
  }

  /** Updates the size of a partition that changed outside of `use`. */
  measure(loaded: LoadedPartition): void {
    if (this.#partitions.get(loaded.id) !== loaded) return;
    const { sizeBytes } = loaded.partition;
    this.#sizeBytes += sizeBytes - loaded.sizeBytes;
    loaded.sizeBytes = sizeBytes;
    this.dependencies.measured?.(loaded);
  }

  #unload(loaded: LoadedPartition): void {
    if (!this.#partitions.delete(loaded.id)) return;
    this.#unloadedRevision = Math.max(this.#unloadedRevision, loaded.lastRevision);
    loaded.isUnloaded = true;
    this.#sizeBytes -= loaded.sizeBytes;
    const { tenant } = loaded.scope;
    const others = this.#byTenant.get(tenant);
    others?.delete(loaded);
    if (others?.size === 0) this.#byTenant.delete(tenant);
  }

  #addToTenant(loaded: LoadedPartition): void {
    const { tenant } = loaded.scope;
    const others = this.#byTenant.get(tenant);
    if (others === undefined) this.#byTenant.set(tenant, new Set([loaded]));
    else others.add(loaded);
  }
}

function exactScope({ subtree: _, ...scope }: ScopeSelector): Scope {
  return scope;
}

/** @throws {MemoryError} `too_large` for a read of more partitions than a host accepts (clause NS-4). */
function checkPartitionCount(got: number, max: number): void {
  if (got <= max) return;
  const message = `a subtree read covers at most ${max} namespaces, got ${got}`;
  throw new MemoryError("too_large", message, { limit: "subtreePartitions", max, got });
}
