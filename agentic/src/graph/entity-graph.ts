import type { AgentMemory } from "@membus/agent-client";
import { type Clock, parseOptions, systemClock } from "@membus/protocol";
import type { Trust } from "@membus/protocol/records";
import type { EntitiesAndRelations, Entity, Relation, WholeGraph } from "./entity.js";
import {
  entityEntry,
  entityWithRelations,
  IS_ENTITY,
  IS_RELATION,
  isNameLength,
  relationEntry,
  relationKey,
} from "./entity-entry.js";
import { type EntitySpelling, entitySpelling } from "./entity-spelling.js";
import { EntityStore, type OnRefused } from "./entity-store.js";
import { type EntityGraphOptions, EntityGraphOptionsSchema } from "./graph-options.js";
import type { GraphCall } from "./triple-store.js";

export interface ObservationsInput {
  readonly entityName: string;
  readonly contents: readonly string[];
}

export interface AddObservationsResult {
  /** The new observations of each input that names an existing entity, in the order of the inputs. */
  readonly added: readonly { readonly entityName: string; readonly addedObservations: readonly string[] }[];
  /** Names of entities that do not exist. Nothing is stored for them. */
  readonly notFound: readonly string[];
}

export interface DeleteResult<T> {
  readonly deleted: readonly T[];
  readonly notFound: readonly T[];
}

export interface ObservationReference {
  readonly entityName: string;
  readonly observation: string;
}

export interface CreateCall<T> extends GraphCall {
  /**
   * Source of the statement, stored with a new entity or relation.
   * @default "agent"
   */
  readonly trust?: Trust | undefined;
  /** Receives each item that the host rejects. Without it the call throws the first error, and other items may be stored. */
  readonly onRefused?: OnRefused<T> | undefined;
}

export interface ObserveCall extends GraphCall {
  /**
   * Throws a `TypeError` before anything is stored if an entity does not exist.
   * @default false
   */
  readonly requireAll?: boolean | undefined;
  /**
   * Receives the name of each entity with observations that the host rejects. Without it the call throws the
   * first error.
   */
  readonly onRefused?: OnRefused<string> | undefined;
}

/**
 * A graph of entities with observations and relations between them, with the operations of the MCP reference memory server.
 * An entity is one entry, up to 256 KiB with its observations. A relation is a triple, so a `KnowledgeGraph` over the same
 * namespace finds paths along relations, and its triples are relations here.
 *
 * Concurrent writers lose nothing: an entity is created by exactly one of them, and observations are added over the revision
 * that was read. Methods throw `MemoryError` for errors of the bus or the host. They throw `TypeError`, before anything is
 * sent, for an invalid argument.
 */
export class EntityGraph {
  readonly #store: EntityStore;
  readonly #spelling: EntitySpelling;

  constructor(memory: AgentMemory, options: EntityGraphOptions = {}, clock: Clock = systemClock) {
    const resolved = parseOptions(EntityGraphOptionsSchema, options);
    this.#spelling = entitySpelling(resolved);
    this.#store = new EntityStore(memory, resolved, this.#spelling, clock);
  }

  /**
   * Creates the entities that do not exist yet. Existing entities stay as they are. If a name is given twice, the first
   * entity counts. Returns the entities that were created.
   */
  async createEntities(entities: readonly Entity[], call: CreateCall<Entity> = {}): Promise<Entity[]> {
    const { trust = "agent", onRefused, ...rest } = call;
    const { tier } = this.#store.options;
    const entryOf = (entity: Entity) => entityEntry(entity, tier, { trust });
    const spelled = entities.map((entity) => this.#spelling.entity(entity));
    return this.#store.create(spelled, entryOf, onRefused, rest);
  }

  /**
   * Creates the relations that do not exist yet. Their nodes need not be entities. Returns the relations that were created.
   */
  async createRelations(
    relations: readonly Relation[],
    call: CreateCall<Relation> = {},
  ): Promise<Relation[]> {
    const { trust = "agent", onRefused, ...rest } = call;
    const { tier } = this.#store.options;
    const entryOf = (relation: Relation) => relationEntry(relation, tier, trust);
    const spelled = relations.map((relation) => this.#spelling.relation(relation));
    return this.#store.create(spelled, entryOf, onRefused, rest);
  }

  /** Adds observations to existing entities. Observations that an entity already has are not added again. */
  async addObservations(
    inputs: readonly ObservationsInput[],
    call: ObserveCall = {},
  ): Promise<AddObservationsResult> {
    const { requireAll = false, onRefused, ...rest } = call;
    const spelled = inputs.map(({ entityName, contents }) => ({
      entityName: this.#spelling.name(entityName),
      contents: this.#spelling.observations(contents),
    }));
    const added = new Map<number, AddObservationsResult["added"][number]>();
    const missing = new Set<string>();
    const refused = new Set<string>();
    const change = (entity: Entity): Entity => {
      let { observations } = entity;
      for (const [index, { entityName, contents }] of spelled.entries()) {
        if (entityName !== entity.name) continue;
        const news = contents.filter((content) => !observations.includes(content));
        added.set(index, { entityName, addedObservations: news });
        if (news.length > 0) observations = [...observations, ...news];
      }
      return { ...entity, observations };
    };
    const onRead = (asked: readonly string[], existing: ReadonlySet<string>) => {
      for (const name of asked) {
        if (existing.has(name)) continue;
        if (requireAll) throw new TypeError(`Entity with name ${name} not found`);
        missing.add(name);
      }
    };
    const refuse: OnRefused<string> = (name, error) => {
      if (onRefused === undefined) throw error;
      onRefused(name, error);
      refused.add(name);
    };
    const names = spelled.map(({ entityName }) => entityName);
    await this.#store.rewrite(names, change, onRead, refuse, rest);
    const kept = [...added].sort(([one], [other]) => one - other).map(([, result]) => result);
    return {
      added: kept.filter(({ entityName }) => !refused.has(entityName) && !missing.has(entityName)),
      notFound: [...missing],
    };
  }

  /** Deletes entities with their observations and every relation that starts or ends at them. */
  async deleteEntities(names: readonly string[], call: GraphCall = {}): Promise<DeleteResult<string>> {
    const unique = [...new Set(names.map((name) => this.#spelling.name(name)))];
    const possible = unique.filter(isNameLength);
    const selections = possible.map((name) => ({ where: entityWithRelations(name, this.#spelling) }));
    const counts = await this.#store.forgetEach(selections, call);
    const deleted = new Set(possible.filter((_, index) => counts[index]! > 0));
    return { deleted: [...deleted], notFound: unique.filter((name) => !deleted.has(name)) };
  }

  /** Deletes observations of entities. Those that do not exist are returned as `notFound`. */
  async deleteObservations(
    inputs: readonly { readonly entityName: string; readonly observations: readonly string[] }[],
    call: GraphCall = {},
  ): Promise<DeleteResult<ObservationReference>> {
    const references = new Map<string, ObservationReference>();
    for (const input of inputs) {
      const entityName = this.#spelling.name(input.entityName);
      for (const observation of this.#spelling.observations(input.observations)) {
        references.set(JSON.stringify([entityName, observation]), { entityName, observation });
      }
    }
    const all = [...references.values()];
    const deleted = new Map<string, ReadonlySet<string>>();
    const change = (entity: Entity): Entity => {
      const own = new Set(
        all.filter(({ entityName }) => entityName === entity.name).map((r) => r.observation),
      );
      const removed = new Set(entity.observations.filter((text) => own.has(text)));
      deleted.set(entity.name, removed);
      if (removed.size === 0) return entity;
      return { ...entity, observations: entity.observations.filter((text) => !removed.has(text)) };
    };
    const names = all.map(({ entityName }) => entityName);
    await this.#store.rewrite(names, change, () => {}, undefined, call);
    const wasThere = (one: ObservationReference) =>
      deleted.get(one.entityName)?.has(one.observation) ?? false;
    return { deleted: all.filter(wasThere), notFound: all.filter((one) => !wasThere(one)) };
  }

  async deleteRelations(
    relations: readonly Relation[],
    call: GraphCall = {},
  ): Promise<DeleteResult<Relation>> {
    const spelled = relations.map((relation) => this.#spelling.relation(relation));
    const unique = [...new Map(spelled.map((one) => [JSON.stringify(relationKey(one)), one])).values()];
    const counts = await this.#store.forgetEach(
      unique.map((relation) => ({ key: relationKey(relation) })),
      call,
    );
    return {
      deleted: unique.filter((_, index) => counts[index]! > 0),
      notFound: unique.filter((_, index) => counts[index] === 0),
    };
  }

  /** Returns the whole graph in the order of creation, up to `itemCountMax` entities and relations. */
  async readGraph(call: GraphCall = {}): Promise<WholeGraph> {
    const { itemCountMax } = this.#store.options;
    const entities = await this.#store.entities(IS_ENTITY, call, itemCountMax + 1);
    const relations = await this.#store.relations(IS_RELATION, call, itemCountMax + 1);
    return {
      entities: entities.slice(0, itemCountMax),
      relations: relations.slice(0, itemCountMax),
      truncated: entities.length > itemCountMax || relations.length > itemCountMax,
    };
  }

  /**
   * Returns the entities with the query in their name, type or an observation, in any case, and their relations. If there is
   * no such entity, returns at most 10 that are related in meaning. Reads all entities of the graph.
   */
  async searchNodes(query: string, call: GraphCall = {}): Promise<EntitiesAndRelations> {
    const text = query.toLowerCase();
    const isMatch = ({ name, entityType, observations }: Entity) =>
      [name, entityType, ...observations].some((each) => each.toLowerCase().includes(text));
    const found = (await this.#store.entities(IS_ENTITY, call)).filter(isMatch);
    return this.#withRelations(found.length > 0 ? found : await this.#store.related(query, call), call);
  }

  /** Returns the entities of these names that exist, in the order of their creation, with their relations. */
  async openNodes(names: readonly string[], call: GraphCall = {}): Promise<EntitiesAndRelations> {
    const spelled = new Set(names.map((name) => this.#spelling.name(name)));
    return this.#withRelations(await this.#store.named(spelled, call), call);
  }

  async #withRelations(entities: readonly Entity[], call: GraphCall): Promise<EntitiesAndRelations> {
    const names = new Set(entities.map(({ name }) => name));
    return { entities, relations: await this.#store.relationsOf(names, call) };
  }
}
