import {
  type AgentMemory,
  type EntryInput,
  pauseAfterConflict,
  type RetrieveRequest,
  storeFailure,
} from "@membus/agent-client";
import {
  type Clock,
  type Filter,
  LIMITS,
  type MemoryEntry,
  type MemoryError,
  type MemoryKey,
  type MemoryTier,
  type StoreError,
} from "@membus/protocol";
import type { AddedObservations, Deletion, Entity, Graph, Observations, Relation } from "./graph.js";
import {
  entityEntry,
  entityKey,
  entityOf,
  IS_ENTITY,
  IS_RELATION,
  referenceTo,
  relationEntry,
  relationKey,
  relationOf,
} from "./graph-entry.js";

const ATTEMPTS_MAX = 100;
const PAGE_SIZE = 1_000;
/** Names of one question; for more everything is read. */
const NAMES_MAX = 500;
const RELATED_MAX = 10;
/** What is related in meaning, as a host's README has it. */
const RELATED_SCORE = 0.3;

/** Told of an item that is not kept, and why. What it throws ends the call. */
export type OnRefused<T> = (item: T, error: MemoryError | TypeError) => void;

/**
 * The graph of the MCP reference memory server, an entry for each entity and each relation. What several clients do at once
 * is all kept: what exists is created over nothing, and observations change over the revision that was read.
 */
export class GraphStore {
  readonly #memory: AgentMemory;
  readonly #tier: MemoryTier;
  readonly #clock: Clock;

  constructor(memory: AgentMemory, tier: MemoryTier, clock: Clock) {
    this.#memory = memory;
    this.#tier = tier;
    this.#clock = clock;
  }

  /** @returns those that did not exist. Of one name the first counts. */
  async createEntities(
    entities: readonly Entity[],
    onRefused: OnRefused<Entity> = refuse,
  ): Promise<Entity[]> {
    return this.#create(entities, ({ name }) => entityKey(name), entityEntry, onRefused);
  }

  /** @returns those that did not exist. Their ends need not be entities. */
  async createRelations(
    relations: readonly Relation[],
    onRefused: OnRefused<Relation> = refuse,
  ): Promise<Relation[]> {
    return this.#create(relations, relationKey, relationEntry, onRefused);
  }

  /**
   * `onRefused` is told the name of an entity whose observations stay as they are.
   * @throws {TypeError} without it, where an entity does not exist: then nothing is added, unless it has gone while this was tried
   * again after a conflict.
   */
  async addObservations(
    inputs: readonly Observations[],
    onRefused?: OnRefused<string>,
  ): Promise<AddedObservations[]> {
    const added: AddedObservations[] = inputs.map(({ entityName }) => ({
      entityName,
      addedObservations: [],
    }));
    const change = (entity: Entity) => {
      for (const [index, { entityName, contents }] of inputs.entries()) {
        if (entityName !== entity.name) continue;
        const news = contents.filter((content) => !entity.observations.includes(content));
        added[index] = { entityName, addedObservations: news };
        entity.observations.push(...news);
      }
    };
    const names = inputs.map(({ entityName }) => entityName);
    const refused = new Set<string>();
    await this.#rewrite(names, true, change, (name, error) => {
      (onRefused ?? refuse)(name, error);
      refused.add(name);
    });
    return added.filter(({ entityName }) => !refused.has(entityName));
  }

  /** What does not exist is left out. */
  async deleteObservations(deletions: readonly Deletion[]): Promise<void> {
    const names = deletions.map(({ entityName }) => entityName);
    await this.#rewrite(names, false, (entity) => {
      const own = deletions.filter(({ entityName }) => entityName === entity.name);
      const gone = new Set(own.flatMap(({ observations }) => observations));
      entity.observations = entity.observations.filter((observation) => !gone.has(observation));
    });
  }

  /** With every relation that they are an end of. */
  async deleteEntities(names: readonly string[]): Promise<void> {
    for (const some of chunks(names.filter(isKeyable), NAMES_MAX)) {
      const named: Filter = { all: [IS_ENTITY, { field: "key.name", op: "in", value: some }] };
      await this.#memory.forget({ tier: this.#tier, where: { any: [named, touching(some)] } });
    }
  }

  async deleteRelations(relations: readonly Relation[]): Promise<void> {
    for (const some of chunks(relations, LIMITS.criteriaKeys)) {
      const keys = some.map((relation) => referenceTo(relationKey(relation)));
      await this.#memory.forget({ tier: this.#tier, keys });
    }
  }

  async readGraph(): Promise<Graph> {
    return { entities: await this.#entities(), relations: await this.#relations(IS_RELATION) };
  }

  /** Entities with the text in name, type or an observation, in any case; where none has, those that are related in meaning. */
  async searchNodes(query: string): Promise<Graph> {
    const text = query.toLowerCase();
    const isFound = ({ name, entityType, observations }: Entity) =>
      [name, entityType, ...observations].some((each) => each.toLowerCase().includes(text));
    const found = (await this.#entities()).filter(isFound);
    return this.#withRelations(found.length > 0 ? found : await this.#related(query));
  }

  async openNodes(names: readonly string[]): Promise<Graph> {
    const wanted = new Set(names);
    if (wanted.size > NAMES_MAX) {
      return this.#withRelations((await this.#entities()).filter(({ name }) => wanted.has(name)));
    }
    const entries = await this.#entriesOf([...wanted]);
    return this.#withRelations(parsed(entries, entityOf));
  }

  /** In the order of their creation. */
  async #entities(): Promise<Entity[]> {
    return parsed(await this.#read({ where: IS_ENTITY }), entityOf);
  }

  async #relations(where: Filter): Promise<Relation[]> {
    return parsed(await this.#read({ where }), relationOf);
  }

  async #withRelations(entities: readonly Entity[]): Promise<Graph> {
    const names = new Set(entities.map(({ name }) => name));
    if (names.size === 0) return { entities, relations: [] };
    const relations = await this.#relations(names.size > NAMES_MAX ? IS_RELATION : touching([...names]));
    return { entities, relations: relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
  }

  async #related(query: string): Promise<Entity[]> {
    if (query.trim() === "") return [];
    const criteria = { tier: this.#tier, where: IS_ENTITY, limit: RELATED_MAX, min_score: RELATED_SCORE };
    const { entries } = await this.#memory.retrieve({
      ...criteria,
      query: query.slice(0, LIMITS.queryLength),
    });
    return parsed(entries, entityOf);
  }

  async #entriesOf(names: readonly string[]): Promise<MemoryEntry[]> {
    const found: MemoryEntry[] = [];
    for (const some of chunks(names, LIMITS.criteriaKeys)) {
      found.push(...(await this.#read({ keys: some.map((name) => referenceTo(entityKey(name))) })));
    }
    return found;
  }

  async #read(criteria: Pick<RetrieveRequest, "where" | "keys">): Promise<MemoryEntry[]> {
    const request = { ...criteria, tier: this.#tier, order: "oldest" as const };
    const entries: MemoryEntry[] = [];
    for await (const entry of this.#memory.entries(request, { pageSize: PAGE_SIZE })) entries.push(entry);
    return entries;
  }

  async #create<T>(
    items: readonly T[],
    keyOf: (item: T) => MemoryKey,
    entryOf: (item: T, tier: MemoryTier) => EntryInput,
    onRefused: OnRefused<T>,
  ): Promise<T[]> {
    const unique = uniqueBy(items, (item) => JSON.stringify(keyOf(item)));
    if (unique.length === 0) return [];
    const entries = unique.map((item) => ({ ...entryOf(item, this.#tier), if_revision: 0 }));
    const { receipts, errors } = await this.#memory.store(entries);
    for (const error of errors) {
      if (error.code !== "conflict") onRefused(unique[error.index]!, storeFailure(error));
    }
    return receipts.map(({ index }) => unique[index]!);
  }

  /** Changes entities over the revisions that were read, again where others were faster. */
  async #rewrite(
    names: readonly string[],
    mustExist: boolean,
    change: (entity: Entity) => void,
    onRefused: OnRefused<string> = refuse,
  ): Promise<void> {
    let waiting: readonly string[] = [...new Set(names)];
    for (let attempt = 1; waiting.length > 0; attempt++) {
      const read = await this.#entriesOf(waiting);
      if (mustExist) refuseMissing(waiting, read, onRefused);
      const entries = read.flatMap((entry) => rewritten(entry, this.#tier, change));
      const { errors } = entries.length > 0 ? await this.#memory.store(entries) : { errors: [] };
      const nameOf = (index: number) => (entries[index]!.key as { name: string }).name;
      const isBehind = ({ code }: StoreError) => code === "conflict" && attempt < ATTEMPTS_MAX;
      for (const error of errors) if (!isBehind(error)) onRefused(nameOf(error.index), storeFailure(error));
      waiting = errors.filter(isBehind).map(({ index }) => nameOf(index));
      if (waiting.length > 0) await pauseAfterConflict(attempt, this.#clock);
    }
  }
}

/** The entry to store in its place, if it has changed. */
function rewritten(entry: MemoryEntry, tier: MemoryTier, change: (entity: Entity) => void): EntryInput[] {
  const entity = entityOf(entry);
  if (entity === undefined) return [];
  change(entity);
  const isSame = JSON.stringify(entity) === JSON.stringify(entityOf(entry));
  return isSame ? [] : [{ ...entityEntry(entity, tier), if_revision: entry.revision }];
}

function touching(names: readonly string[]): Filter {
  const value = names.filter(isKeyable);
  const ends: Filter[] = ["key.from", "key.to"].map((field) => ({ field, op: "in", value }));
  return { all: [IS_RELATION, { any: ends }] };
}

/** What is longer is no name of any key. */
function isKeyable(name: string): boolean {
  return name.length <= LIMITS.stringLength;
}

function parsed<T>(entries: readonly MemoryEntry[], partOf: (entry: MemoryEntry) => T | undefined): T[] {
  return entries.map(partOf).filter((part) => part !== undefined);
}

function refuse(_: unknown, error: MemoryError | TypeError): never {
  throw error;
}

function refuseMissing(
  names: readonly string[],
  entries: readonly MemoryEntry[],
  onRefused: OnRefused<string>,
): void {
  const found = new Set(parsed(entries, entityOf).map(({ name }) => name));
  for (const name of names) {
    if (!found.has(name)) onRefused(name, new TypeError(`Entity with name ${name} not found`));
  }
}

/** The first of each. */
function uniqueBy<T>(items: readonly T[], identityOf: (item: T) => string): T[] {
  const first = new Map<string, T>();
  for (const item of items) {
    const identity = identityOf(item);
    if (!first.has(identity)) first.set(identity, item);
  }
  return [...first.values()];
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
