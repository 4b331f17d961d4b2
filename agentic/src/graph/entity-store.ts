import {
  type AgentMemory,
  type EntryInput,
  type RetrieveRequest,
  toMemoryError,
  updateWithRetry,
} from "@membus/agent-client";
import { type Clock, type Filter, LIMITS, type MemoryEntry, type MemoryError } from "@membus/protocol";
import type { Entity, Relation } from "./entity.js";
import {
  entityEntry,
  entityKey,
  IS_ENTITY,
  IS_RELATION,
  isNameLength,
  readEntity,
  readRelation,
  referenceTo,
  relationsAt,
} from "./entity-entry.js";
import type { EntitySpelling } from "./entity-spelling.js";
import type { ResolvedEntityGraphOptions } from "./graph-options.js";
import type { GraphCall } from "./triple-store.js";

/** Names in one query, so that the longest names fit into a message. Queries for more names read everything. */
const NAMES_PER_QUERY = 100;
/** Forget requests in flight at a time. */
const FORGETS_AT_ONCE = 16;
const RELATED_COUNT_MAX = 10;
/** Score of an entity that is related to a query in meaning. */
const RELATED_SCORE = 0.3;

/** Receives an item that was not stored, with the reason. An error that it throws ends the call. */
export type OnRefused<T> = (item: T, error: MemoryError) => void;

/** The entities and relations of one graph as entries of the host. */
export class EntityStore {
  readonly options: ResolvedEntityGraphOptions;
  readonly #memory: AgentMemory;
  readonly #spelling: EntitySpelling;
  readonly #clock: Clock;

  constructor(
    memory: AgentMemory,
    options: ResolvedEntityGraphOptions,
    spelling: EntitySpelling,
    clock: Clock,
  ) {
    this.options = options;
    this.#memory = memory.inNamespace(options.namespace);
    this.#spelling = spelling;
    this.#clock = clock;
  }

  /** Returns entities in the order of their creation, all of them unless `limit` is set. */
  async entities(where: Filter, call: GraphCall, limit?: number): Promise<Entity[]> {
    return (await this.#read({ where, limit }, call)).flatMap((entry) => readEntity(entry) ?? []);
  }

  async relations(where: Filter, call: GraphCall, limit?: number): Promise<Relation[]> {
    const entries = await this.#read({ where, limit }, call);
    return entries.flatMap((entry) => readRelation(entry, this.#spelling) ?? []);
  }

  /** Returns the entities of these names in the order of their creation. */
  async named(names: ReadonlySet<string>, call: GraphCall): Promise<Entity[]> {
    if (names.size > NAMES_PER_QUERY) {
      return (await this.entities(IS_ENTITY, call)).filter(({ name }) => names.has(name));
    }
    const entries = await this.#entriesOf([...names], call);
    return entries.flatMap((entry) => readEntity(entry) ?? []);
  }

  /** Returns the relations that start or end at one of these nodes. */
  async relationsOf(names: ReadonlySet<string>, call: GraphCall): Promise<Relation[]> {
    if (names.size === 0) return [];
    const isAll = names.size > NAMES_PER_QUERY;
    const where = isAll ? IS_RELATION : relationsAt([...names], this.#spelling);
    const relations = await this.relations(where, call);
    return relations.filter(({ from, to }) => names.has(from) || names.has(to));
  }

  /** Returns the entities that are most similar to a query in meaning, best first. */
  async related(query: string, call: GraphCall): Promise<Entity[]> {
    if (query.trim() === "") return [];
    const request = {
      query: query.slice(0, LIMITS.queryLength),
      tier: this.options.tier,
      where: IS_ENTITY,
      limit: RELATED_COUNT_MAX,
      min_score: RELATED_SCORE,
    };
    const { entries } = await this.#memory.retrieve(request, call);
    return entries.flatMap((entry) => readEntity(entry) ?? []);
  }

  /** Stores the entries of items that do not exist yet. Returns these items. */
  async create<T>(
    items: readonly T[],
    entryOf: (item: T) => EntryInput,
    onRefused: OnRefused<T> | undefined,
    call: GraphCall,
  ): Promise<T[]> {
    const entries = new Map<string, { readonly item: T; readonly entry: EntryInput }>();
    for (const item of items) {
      const entry = entryOf(item);
      const id = JSON.stringify(entry.key);
      if (!entries.has(id)) entries.set(id, { item, entry: { ...entry, if_revision: 0 } });
    }
    if (entries.size === 0) return [];
    const unique = [...entries.values()];
    const { receipts, errors } = await this.#memory.store(
      unique.map(({ entry }) => entry),
      { ...call, partial: true },
    );
    for (const error of errors) {
      if (error.code !== "conflict") (onRefused ?? refuse)(unique[error.index]!.item, toMemoryError(error));
    }
    return receipts.map(({ index }) => unique[index]!.item);
  }

  /**
   * Changes entities over the revisions that were read, and retries entities that another writer changed. `change` may run
   * several times for an entity. `onRead` receives the existing entities of each attempt before anything is stored.
   */
  async rewrite(
    names: readonly string[],
    change: (entity: Entity) => Entity,
    onRead: (asked: readonly string[], existing: ReadonlySet<string>) => void,
    onRefused: OnRefused<string> | undefined,
    call: GraphCall,
  ): Promise<void> {
    const reportRefused = onRefused ?? refuse;
    let pending: readonly string[] = [...new Set(names)];
    let conflicts: readonly { readonly name: string; readonly error: MemoryError }[] = [];
    await updateWithRetry(
      () => this.#entriesOf(pending, call),
      (entries) => {
        const read = entries.flatMap((entry) => {
          const entity = readEntity(entry);
          return entity === undefined ? [] : [{ entry, entity }];
        });
        onRead(pending, new Set(read.map(({ entity }) => entity.name)));
        const changed = read.flatMap(({ entry, entity }) => {
          const next = change(entity);
          if (next.observations === entity.observations) return [];
          const stored = entityEntry(next, this.options.tier, entry.metadata);
          return [{ name: entity.name, entry: { ...stored, if_revision: entry.revision } }];
        });
        return changed.length === 0 ? undefined : changed;
      },
      async (changed) => {
        const inputs = changed.map(({ entry }) => entry);
        const { errors } = await this.#memory.store(inputs, { ...call, partial: true });
        const failures = errors.map((error) => ({
          name: changed[error.index]!.name,
          error: toMemoryError(error),
        }));
        conflicts = failures.filter(({ error }) => error.code === "conflict");
        for (const { name, error } of failures) if (error.code !== "conflict") reportRefused(name, error);
        pending = conflicts.map(({ name }) => name);
        return pending.length === 0 || undefined;
      },
      {
        attemptsMax: this.options.attemptsMax,
        clock: this.#clock,
        onExhausted: () => {
          for (const { name, error } of conflicts) reportRefused(name, error);
        },
      },
    );
  }

  /** Forgets the entries of each selection. Returns how many entries each of them had. */
  async forgetEach(
    selections: readonly { readonly where?: Filter; readonly key?: EntryInput["key"] }[],
    call: GraphCall,
  ): Promise<number[]> {
    const counts: number[] = [];
    for (let at = 0; at < selections.length; at += FORGETS_AT_ONCE) {
      const requests = selections.slice(at, at + FORGETS_AT_ONCE).map(async ({ where, key }) => {
        const keys = key === undefined ? {} : { keys: [referenceTo(key as never)] };
        const request = { tier: this.options.tier, ...(where && { where }), ...keys };
        return (await this.#memory.forget(request, call)).deleted;
      });
      counts.push(...(await Promise.all(requests)));
    }
    return counts;
  }

  async #entriesOf(names: readonly string[], call: GraphCall): Promise<MemoryEntry[]> {
    const keys = names.filter(isNameLength).map((name) => referenceTo(entityKey(name)));
    const found: MemoryEntry[] = [];
    for (let at = 0; at < keys.length; at += LIMITS.criteriaKeys) {
      found.push(...(await this.#read({ keys: keys.slice(at, at + LIMITS.criteriaKeys) }, call)));
    }
    return found;
  }

  async #read(
    criteria: Pick<RetrieveRequest, "where" | "keys" | "limit">,
    call: GraphCall,
  ): Promise<MemoryEntry[]> {
    const request = { ...criteria, tier: this.options.tier, order: "oldest" as const };
    const entries: MemoryEntry[] = [];
    const options = { ...call, pageSize: LIMITS.retrieveLimit };
    for await (const entry of this.#memory.entries(request, options)) entries.push(entry);
    return entries;
  }
}

function refuse(_: unknown, error: MemoryError): never {
  throw error;
}
