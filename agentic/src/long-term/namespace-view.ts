import type {
  AgentMemory,
  EntryInput,
  ForgetRequest,
  ListRequest,
  RetrieveRequest,
  StoreResult,
} from "@membus/agent-client";
import { LIMITS, type MemoryEntry, type MemoryKey, type MemoryTier } from "@membus/protocol";

/** One namespace of one tier with memories about a subject. */
export class NamespaceView {
  readonly namespace: string;
  readonly tier: MemoryTier;
  readonly #memory: AgentMemory;

  constructor(memory: AgentMemory, namespace: string, tier: MemoryTier) {
    this.namespace = namespace;
    this.tier = tier;
    this.#memory = memory.inNamespace(namespace);
  }

  /** Returns one page in the order of `request`. */
  async page(request: RetrieveRequest): Promise<readonly MemoryEntry[]> {
    return (await this.#memory.retrieve({ ...request, tier: this.tier })).entries;
  }

  /** Yields all matching entries. */
  each(request: RetrieveRequest): AsyncGenerator<MemoryEntry> {
    return this.#memory.entries({ ...request, tier: this.tier }, { pageSize: 500 });
  }

  async all(request: RetrieveRequest): Promise<MemoryEntry[]> {
    const found: MemoryEntry[] = [];
    for await (const entry of this.each(request)) found.push(entry);
    return found;
  }

  /** Returns the existing entries with these keys, by key hash. */
  async byKey(keys: readonly (MemoryKey | { readonly $hash: string })[]): Promise<Map<string, MemoryEntry>> {
    const found = new Map<string, MemoryEntry>();
    for (let from = 0; from < keys.length; from += LIMITS.criteriaKeys) {
      const part = keys.slice(from, from + LIMITS.criteriaKeys);
      for await (const entry of this.each({ keys: part as MemoryKey[] })) found.set(entry.key_hash, entry);
    }
    return found;
  }

  /** Returns the number of entries by value of a field, or by namespace, without reading them. */
  async counts(request: ListRequest): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    const items = this.#memory.items({ ...request, tier: this.tier }, { pageSize: 500 });
    for await (const { value, count } of items) counts.set(String(value), count);
    return counts;
  }

  store(entries: readonly EntryInput[]): Promise<StoreResult> {
    return this.#memory.store(
      entries.map((entry) => ({ ...entry, tier: this.tier })),
      { partial: true },
    );
  }

  /** @returns how many of these keys existed. */
  async forgetKeys(keys: readonly MemoryKey[], criteria: ForgetRequest = {}): Promise<number> {
    let count = 0;
    for (let from = 0; from < keys.length; from += LIMITS.criteriaKeys) {
      count += await this.forget({ ...criteria, keys: keys.slice(from, from + LIMITS.criteriaKeys) });
    }
    return count;
  }

  async forget(criteria: ForgetRequest): Promise<number> {
    return (await this.#memory.forget({ ...criteria, tier: this.tier })).deleted;
  }
}
