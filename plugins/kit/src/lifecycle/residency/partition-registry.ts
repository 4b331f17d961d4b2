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
  /** Partitions beyond this many bytes leave RAM, least recently used first; one alone stays. */
  readonly residentBytesMax: number;
}

export interface RegistryDependencies {
  readonly clock: Clock;
  /** Builds the partition of a scope from what is stored. */
  load(scope: string): Promise<Partition>;
  /** A partition may have grown, or shrunk. */
  measured?(resident: Resident): void;
  /** False while leaving RAM would lose something, or is not worth it. */
  mayLeave(resident: Resident): boolean;
  /** False where an empty partition stays, because another load would take time to find nothing. */
  readonly dropsEmpty: boolean;
  /** Unix seconds: revisions of what was in RAM in processes before are below it, and known by nothing else. */
  readonly leftAt?: number | undefined;
  /** Every scope of the tenant that is stored, in RAM or not. */
  storedScopes(tenant: string): Promise<Iterable<Scope>>;
}

/** The partitions in RAM: loaded at first touch, each once, and dropped under a byte bound. */
export class PartitionRegistry {
  /** In order of use: the first is the one to drop. */
  readonly #residents = new Map<string, Resident>();
  /** The same by tenant: what one waits for does not depend on how many others there are. */
  readonly #byTenant = new Map<string, Set<Resident>>();
  readonly #loading = new Map<string, Promise<void>>();
  #sizeBytes = 0;
  /** When the last one left, Unix seconds: above its revisions, also if the clock steps back after that. */
  #leftAt: number;
  #loaded: (resident: Resident) => void = () => {};

  constructor(
    readonly options: RegistryOptions,
    readonly dependencies: RegistryDependencies,
  ) {
    this.#leftAt = dependencies.leftAt ?? 0;
  }

  /** Runs `use` on the partition of a scope, which stays in RAM meanwhile. */
  async use<T>(scope: Scope, use: (resident: Resident) => T | Promise<T>): Promise<T> {
    const id = scopeId(scope);
    let resident = this.#residents.get(id);
    while (resident === undefined) {
      await this.#load(id);
      // It may have left again while others were at it.
      resident = this.#residents.get(id);
    }
    this.#enter(resident);
    try {
      return await use(resident);
    } finally {
      this.#leave(resident);
    }
  }

  /** The scopes that a selector selects among those that hold anything, in order of their ids. */
  async select(selector: ScopeSelector): Promise<Scope[]> {
    if (!selector.subtree) return [exactScope(selector)];
    return this.#selectWhere(selector.tenant, (scope) => selectsScope(selector, scope));
  }

  /** Those of the selector's caller, in every namespace. */
  async selectCaller(selector: ScopeSelector): Promise<Scope[]> {
    return this.#selectWhere(selector.tenant, (scope) => isOfSameCaller(selector, scope));
  }

  /** Those of an agent, and what all agents share; without `agent` all of the tenant. */
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

  /** A partition in use stays in RAM after that use too, until `letGo`. */
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

  /** Drops a partition that holds nothing, if nobody uses it. */
  dropEmpty(resident: Resident): void {
    const { dropsEmpty } = this.dependencies;
    if (dropsEmpty && resident.isEmpty && this.#mayLeave(resident)) this.#drop(resident);
  }

  /** `listener` hears of every partition that comes into RAM. */
  onLoaded(listener: (resident: Resident) => void): void {
    this.#loaded = listener;
  }

  /** Leaves nothing in RAM; whatever works on it behind the requests ends. */
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
      // The last one, which is then larger than the bound by itself, would be loaded again for each request.
      if (this.#sizeBytes <= this.options.residentBytesMax || this.#residents.size === 1) return;
      if (this.#mayLeave(candidate)) this.#drop(candidate);
    }
  }

  #mayLeave(resident: Resident): boolean {
    const { clock, mayLeave } = this.dependencies;
    return resident.mayLeave(clock.now()) && mayLeave(resident);
  }

  /** A partition may have grown, or shrunk, outside of `use`. */
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

/** @throws {MemoryError} `too_large` for a read over more partitions than a host takes on at once (clause NS-4). */
export function checkPartitionCount(got: number, max: number): void {
  if (got <= max) return;
  const message = `a subtree read covers at most ${max} namespaces, got ${got}`;
  throw new MemoryError("too_large", message, { limit: "subtreePartitions", max, got });
}
