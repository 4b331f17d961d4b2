import {
  type Clock,
  MemoryError,
  parseScopeId,
  type Scope,
  type ScopeSelector,
  scopeId,
  selectsScope,
} from "@membus/protocol";
import type { Partition } from "../partition/partition.js";
import { Resident } from "./resident.js";

export interface RegistryOptions {
  /** Partitions beyond this many bytes leave RAM, least recently used first. */
  readonly residentBytesMax: number;
}

export interface RegistryDependencies {
  readonly clock: Clock;
  /** Builds the partition of a scope from what is stored. */
  load(scope: string): Promise<Partition>;
  /** False while leaving RAM would lose something. */
  mayLeave(resident: Resident): boolean;
  /** Every scope that is stored, in RAM or not. */
  storedScopes(): Promise<Iterable<string>>;
}

/** The partitions in RAM: loaded at first touch, each once, and dropped under a byte bound. */
export class PartitionRegistry {
  readonly #residents = new Map<string, Resident>();
  readonly #loading = new Map<string, Promise<Resident>>();
  #sizeBytes = 0;

  constructor(
    readonly options: RegistryOptions,
    readonly dependencies: RegistryDependencies,
  ) {}

  /** Runs `use` on the partition of a scope, which stays in RAM meanwhile. */
  async use<T>(scope: Scope, use: (resident: Resident) => T | Promise<T>): Promise<T> {
    const resident = await this.#enter(scopeId(scope));
    try {
      return await use(resident);
    } finally {
      this.#leave(resident);
    }
  }

  /** The scopes that a selector selects among those that hold anything, in order of their ids. */
  async select(selector: ScopeSelector): Promise<Scope[]> {
    if (!selector.subtree) return [exactScope(selector)];
    const ids = new Set([...(await this.dependencies.storedScopes()), ...this.#residents.keys()]);
    return [...ids]
      .sort()
      .map(parseScopeId)
      .filter((scope) => selectsScope(selector, scope));
  }

  get residents(): Iterable<Resident> {
    return this.#residents.values();
  }

  peek(id: string): Resident | undefined {
    return this.#residents.get(id);
  }

  /** Drops a partition that holds nothing, if nobody uses it. */
  dropEmpty(resident: Resident): void {
    if (resident.partition.liveCount === 0 && this.#mayLeave(resident)) this.#drop(resident);
  }

  get stats(): { partitions: number; partitionBytes: number } {
    return { partitions: this.#residents.size, partitionBytes: this.#sizeBytes };
  }

  async #enter(id: string): Promise<Resident> {
    const resident = this.#residents.get(id) ?? (await this.#load(id));
    resident.users++;
    resident.usedAt = this.dependencies.clock.now();
    // Insertion order is the order of use: the first is the one to drop.
    this.#residents.delete(id);
    this.#residents.set(id, resident);
    return resident;
  }

  async #load(id: string): Promise<Resident> {
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      loading = this.dependencies
        .load(id)
        .then((partition) => this.#admit(new Resident(id, parseScopeId(id), partition)))
        .finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  #admit(resident: Resident): Resident {
    this.#residents.set(resident.id, resident);
    this.#measure(resident);
    return resident;
  }

  #leave(resident: Resident): void {
    resident.users--;
    this.#measure(resident);
    for (const candidate of this.#residents.values()) {
      if (this.#sizeBytes <= this.options.residentBytesMax) return;
      if (this.#mayLeave(candidate)) this.#drop(candidate);
    }
  }

  #mayLeave(resident: Resident): boolean {
    const { clock, mayLeave } = this.dependencies;
    return resident.mayLeave(clock.now()) && mayLeave(resident);
  }

  #measure(resident: Resident): void {
    if (this.#residents.get(resident.id) !== resident) return;
    const { sizeBytes } = resident.partition;
    this.#sizeBytes += sizeBytes - resident.sizeBytes;
    resident.sizeBytes = sizeBytes;
  }

  #drop(resident: Resident): void {
    this.#residents.delete(resident.id);
    this.#sizeBytes -= resident.sizeBytes;
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
