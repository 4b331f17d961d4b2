import {
  type Clock,
  isOfSameCaller,
  MemoryError,
  parseScopeId,
  type Scope,
  type ScopeSelector,
  scopeId,
  selectsScope,
} from "@membus/protocol";
import type { Partition } from "../../search/index.js";
import { Resident } from "./resident.js";

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
  measured?(resident: Resident): void;
  /** Returns false if unloading would lose data or is not worthwhile. */
  mayLeave(resident: Resident): boolean;
  /** False if an empty partition stays loaded, because loading it again takes time. */
  readonly dropsEmpty: boolean;
  /** Time above all revisions of earlier processes, which are not recorded elsewhere. Unix seconds. */
  readonly leftAt?: number | undefined;
  /** Returns every stored scope of the tenant, loaded or not. */
  storedScopes(tenant: string): Promise<Iterable<Scope>>;
}

/** The loaded partitions. Each is loaded once at first use, and unloaded above a memory limit. */
export class PartitionRegistry {
  /** In order of use. The first is unloaded first. */
  readonly #residents = new Map<string, Resident>();
  /** The partitions by tenant, so that the cost for a tenant does not depend on the number of others. */
  readonly #byTenant = new Map<string, Set<Resident>>();
  readonly #loading = new Map<string, Promise<void>>();
  #sizeBytes = 0;
  /**
   * Time of the last unload, Unix seconds. It is above the unloaded revisions, even if the clock is set back
   * later.
   */
  #leftAt: number;
  #loaded: (resident: Resident) => void = () => {};

  constructor(
    readonly options: RegistryOptions,
    readonly dependencies: RegistryDependencies,
  ) {
    this.#leftAt = dependencies.leftAt ?? 0;
  }

  /** Runs `use` on the partition of a scope, which stays loaded during the call. */
  async use<T>(scope: Scope, use: (resident: Resident) => T | Promise<T>): Promise<T> {
    const id = scopeId(scope);
    let resident = this.#residents.get(id);
    while (resident === undefined) {
      await this.#load(id);
      // It may have been unloaded again while other requests ran.
      resident = this.#residents.get(id);
    }
    this.#enter(resident);
    try {
      return await use(resident);
    } finally {
      this.#leave(resident);
    }
  }

  /** Returns the non-empty scopes that a selector selects, in order of their ids. */
  async select(selector: ScopeSelector): Promise<Scope[]> {
    if (!selector.subtree) return [exactScope(selector)];
    return this.#selectWhere(selector.tenant, (scope) => selectsScope(selector, scope));
  }

  /** Returns the scopes of the selector's caller in every namespace. */
  async selectCaller(selector: ScopeSelector): Promise<Scope[]> {
    return this.#selectWhere(selector.tenant, (scope) => isOfSameCaller(selector, scope));
  }

  /** Returns the scopes of an agent and the shared scopes, or without `agent` all of the tenant. */
  async selectOwned({ tenant, agent }: Pick<Scope, "tenant" | "agent">): Promise<Scope[]> {
    const isOwned = (scope: Scope) => (scope.agent ?? agent) === agent || agent === undefined;
    return this.#selectWhere(tenant, isOwned);
  }

  async #selectWhere(tenant: string, isSelected: (scope: Scope) => boolean): Promise<Scope[]> {
    const selected = new Map<string, Scope>();
    for (const scope of await this.dependencies.storedScopes(tenant)) {
      if (isSelected(scope)) selected.set(scopeId(scope), scope);
    }
    for (const resident of this.#byTenant.get(tenant) ?? []) {
      if (!isSelected(resident.scope)) continue;
      if (resident.isEmpty) selected.delete(resident.id);
      else selected.set(resident.id, resident.scope);
    }
    return [...selected.keys()].sort().map((id) => selected.get(id)!);
  }

  /** Keeps a partition loaded after its current use, until `release`. */
  keep(resident: Resident): void {
    this.#enter(resident);
  }

  letGo(resident: Resident): void {
    this.#leave(resident);
  }

  get residents(): Iterable<Resident> {
    return this.#residents.values();
  }

  peek(id: string): Resident | undefined {
    return this.#residents.get(id);
  }

  /** Unloads an empty partition if it is not in use. */
  dropEmpty(resident: Resident): void {
    const { dropsEmpty } = this.dependencies;
    if (dropsEmpty && resident.isEmpty && this.#mayLeave(resident)) this.#drop(resident);
  }

  /** Calls `listener` for every loaded partition. */
  onLoaded(listener: (resident: Resident) => void): void {
    this.#loaded = listener;
  }

  /** Unloads all partitions. Background work on them ends. */
  clear(): void {
    for (const resident of this.#residents.values()) resident.hasLeft = true;
    this.#residents.clear();
    this.#byTenant.clear();
    this.#sizeBytes = 0;
  }

  get stats(): { partitions: number; partition_bytes: number } {
    return { partitions: this.#residents.size, partition_bytes: this.#sizeBytes };
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
    const { clock, load } = this.dependencies;
    const partition = await load(id);
    const resident = new Resident(id, parseScopeId(id), partition, Math.max(clock.now(), this.#leftAt));
    this.#residents.set(id, resident);
    this.#noteTenant(resident);
    this.measure(resident);
    this.#loaded(resident);
  }

  #enter(resident: Resident): void {
    resident.users++;
    resident.usedAt = this.dependencies.clock.now();
    this.#residents.delete(resident.id);
    this.#residents.set(resident.id, resident);
  }

  #leave(resident: Resident): void {
    resident.users--;
    this.measure(resident);
    this.dropEmpty(resident);
    for (const candidate of this.#residents.values()) {
      // The last one stays, even above the limit. Otherwise each request would load it again.
      if (this.#sizeBytes <= this.options.residentBytesMax || this.#residents.size === 1) return;
      if (this.#mayLeave(candidate)) this.#drop(candidate);
    }
  }

  #mayLeave(resident: Resident): boolean {
    const { clock, mayLeave } = this.dependencies;
    return resident.mayLeave(clock.now()) && mayLeave(resident);
  }

  /** Updates the size of a partition that changed outside of `use`. */
  measure(resident: Resident): void {
    if (this.#residents.get(resident.id) !== resident) return;
    const { sizeBytes } = resident.partition;
    this.#sizeBytes += sizeBytes - resident.sizeBytes;
    resident.sizeBytes = sizeBytes;
    this.dependencies.measured?.(resident);
  }

  #drop(resident: Resident): void {
    if (!this.#residents.delete(resident.id)) return;
    this.#leftAt = Math.max(this.#leftAt, this.dependencies.clock.now());
    resident.hasLeft = true;
    this.#sizeBytes -= resident.sizeBytes;
    const { tenant } = resident.scope;
    const others = this.#byTenant.get(tenant);
    others?.delete(resident);
    if (others?.size === 0) this.#byTenant.delete(tenant);
  }

  #noteTenant(resident: Resident): void {
    const { tenant } = resident.scope;
    const others = this.#byTenant.get(tenant);
    if (others === undefined) this.#byTenant.set(tenant, new Set([resident]));
    else others.add(resident);
  }
}

function exactScope({ subtree: _, ...scope }: ScopeSelector): Scope {
  return scope;
}

/** @throws {MemoryError} `too_large` for a read of more partitions than a host accepts (clause NS-4). */
export function checkPartitionCount(got: number, max: number): void {
  if (got <= max) return;
  const message = `a subtree read covers at most ${max} namespaces, got ${got}`;
  throw new MemoryError("too_large", message, { limit: "subtreePartitions", max, got });
}
