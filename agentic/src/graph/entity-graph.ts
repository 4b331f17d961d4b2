import type { AgentMemory } from "@membus/agent-client";
import { type Clock, systemClock, type Trust } from "@membus/protocol";
import { addTriples } from "./add-triples.js";
import {
  type EntitiesAndRelations,
  type Entity,
  observationTriple,
  type Relation,
  relationOf,
  relationTriple,
  typeTriple,
} from "./entity.js";
import { type GraphOptions, resolveGraphOptions } from "./graph-options.js";
import { KnowledgeGraph } from "./knowledge-graph.js";
import {
  NAMES_PER_QUERY,
  readEntities,
  readWholeGraph,
  searchEntities,
  type WholeGraph,
} from "./read-entities.js";
import {
  normaliseNode,
  normaliseTriple,
  OBSERVATION_PREDICATE,
  type TripleKey,
  TYPE_PREDICATE,
} from "./triple.js";
import { patternFilter, touching } from "./triple-pattern.js";
import { type GraphCall, TripleStore } from "./triple-store.js";

export interface ObservationsInput {
  readonly entityName: string;
  readonly contents: readonly string[];
}

export interface AddObservationsResult {
  /** Of each entity what was news, in the order given. */
  readonly added: readonly { readonly entityName: string; readonly addedObservations: readonly string[] }[];
  /** Names of entities that do not exist; nothing is stored for them. */
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

export interface EntityCall extends GraphCall {
  /** Whose word it is: "agent" unless given. */
  readonly trust?: Trust | undefined;
}

/**
 * The graph as entities with observations and relations between them, after the operations of the MCP reference memory
 * server. It is the same graph that `KnowledgeGraph` has, triple by triple: a type is `(name, entity_type, type)`, an
 * observation `(name, observation, text)`, and every other triple is a relation.
 *
 * Errors as of `KnowledgeGraph`. A name, a type and a text have at most about 4000 bytes together.
 */
export class EntityGraph {
  readonly #store: TripleStore;
  readonly #graph: KnowledgeGraph;

  constructor(memory: AgentMemory, options: GraphOptions = {}, clock: Clock = systemClock) {
    this.#store = new TripleStore(memory, resolveGraphOptions(options), clock);
    this.#graph = new KnowledgeGraph(memory, options, clock);
  }

  /**
   * Creates the entities that do not exist yet; one that does keeps its type, and its observations are not touched.
   * @returns those that were created. @throws {MemoryError} the first error of the host, when it refuses some.
   */
  async createEntities(entities: readonly Entity[], call: EntityCall = {}): Promise<Entity[]> {
    const { trust, ...rest } = call;
    const typed = await this.#typed(
      entities.map(({ name }) => name),
      rest,
    );
    const fresh = [...new Map(entities.map((entity) => [this.#node(entity.name), entity])).entries()]
      .filter(([name]) => !typed.has(name))
      .map(([, entity]) => entity);
    const news = await this.#add(
      fresh.flatMap((entity) => [
        typeTriple(entity),
        ...entity.observations.map((text) => observationTriple(entity.name, text)),
      ]),
      trust,
      rest,
    );
    return entitiesCreated(news);
  }

  /** Creates the relations that do not exist yet; their ends need not be entities. @returns those that were created. */
  async createRelations(relations: readonly Relation[], call: EntityCall = {}): Promise<Relation[]> {
    const { trust, ...rest } = call;
    return (await this.#add(relations.map(relationTriple), trust, rest)).map(relationOf);
  }

  /** Adds what has been observed of entities that exist. */
  async addObservations(
    inputs: readonly ObservationsInput[],
    call: EntityCall = {},
  ): Promise<AddObservationsResult> {
    const { trust, ...rest } = call;
    const names = [...new Set(inputs.map(({ entityName }) => this.#node(entityName)))];
    const known = await this.#known(names, rest);
    const triples = inputs
      .filter(({ entityName }) => known.has(this.#node(entityName)))
      .flatMap(({ entityName, contents }) => contents.map((text) => observationTriple(entityName, text)));
    const news = await this.#add(triples, trust, rest);
    const added = names
      .filter((name) => known.has(name))
      .map((entityName) => ({
        entityName,
        addedObservations: news.filter(({ subject }) => subject === entityName).map(({ object }) => object),
      }));
    return { added, notFound: names.filter((name) => !known.has(name)) };
  }

  /** Deletes entities with their observations and every relation that they are an end of. */
  async deleteEntities(names: readonly string[], call: GraphCall = {}): Promise<DeleteResult<string>> {
    const unique = [...new Set(names.map((name) => this.#node(name)))];
    const counts = await this.#store.forgetEach(
      unique.map((name) => ({ where: touching([name]) })),
      call,
    );
    return {
      deleted: unique.filter((_, index) => counts[index]! > 0),
      notFound: unique.filter((_, index) => counts[index] === 0),
    };
  }

  async deleteObservations(
    inputs: readonly { readonly entityName: string; readonly observations: readonly string[] }[],
    call: GraphCall = {},
  ): Promise<DeleteResult<ObservationReference>> {
    const triples = inputs.flatMap(({ entityName, observations }) =>
      observations.map((text) => observationTriple(entityName, text)),
    );
    const { deleted, notFound } = await this.#graph.remove(triples, call);
    const reference = ({ subject, object }: TripleKey) => ({ entityName: subject, observation: object });
    return { deleted: deleted.map(reference), notFound: notFound.map(reference) };
  }

  async deleteRelations(
    relations: readonly Relation[],
    call: GraphCall = {},
  ): Promise<DeleteResult<Relation>> {
    const { deleted, notFound } = await this.#graph.remove(relations.map(relationTriple), call);
    return { deleted: deleted.map(relationOf), notFound: notFound.map(relationOf) };
  }

  /** The whole graph, as far as `tripleCountMax` triples go. */
  async readGraph(call: GraphCall = {}): Promise<WholeGraph> {
    return readWholeGraph(this.#store, call);
  }

  /**
   * The entities that a text finds, best first, with the relations that they are an end of: by the host's search in words and,
   * where it has one, by meaning, and by every substring of names, types and observations, as it is written.
   */
  async searchNodes(query: string, call: GraphCall = {}): Promise<EntitiesAndRelations> {
    return searchEntities(this.#store, query, call);
  }

  /** The nodes of these names that exist, with the relations that they are an end of. */
  async openNodes(names: readonly string[], call: GraphCall = {}): Promise<EntitiesAndRelations> {
    return readEntities(
      this.#store,
      names.map((name) => this.#node(name)),
      call,
    );
  }

  /** @returns the triples that were news. */
  async #add(triples: readonly TripleKey[], trust: Trust | undefined, call: GraphCall): Promise<TripleKey[]> {
    const normal = triples.map((triple) => normaliseTriple({ ...triple, trust }, this.#store.options));
    const added = await addTriples(this.#store, normal, call);
    const refused = added.find(({ error }) => error !== undefined);
    if (refused !== undefined) throw refused.error!;
    return added.filter(({ outcome }) => outcome === "created").map(({ triple }) => triple);
  }

  #typed(names: readonly string[], call: GraphCall): Promise<Set<string>> {
    return this.#subjects(names, [TYPE_PREDICATE], call);
  }

  #known(names: readonly string[], call: GraphCall): Promise<Set<string>> {
    return this.#subjects(names, [TYPE_PREDICATE, OBSERVATION_PREDICATE], call);
  }

  /** Those of the names that have such a triple. */
  async #subjects(names: readonly string[], predicate: string[], call: GraphCall): Promise<Set<string>> {
    const found = new Set<string>();
    for (let at = 0; at < names.length; at += NAMES_PER_QUERY) {
      const subject = names.slice(at, at + NAMES_PER_QUERY);
      const where = patternFilter({ subject, predicate }, this.#store.options);
      for await (const triple of this.#store.triples(where, call)) found.add(triple.subject);
    }
    return found;
  }

  #node(name: string): string {
    return normaliseNode(name, this.#store.options, "name");
  }
}

/** An entity is created by whoever stored its type. */
function entitiesCreated(news: readonly TripleKey[]): Entity[] {
  return news
    .filter(({ predicate }) => predicate === TYPE_PREDICATE)
    .map(({ subject, object }) => ({
      name: subject,
      entityType: object,
      observations: news
        .filter((other) => other.subject === subject && other.predicate === OBSERVATION_PREDICATE)
        .map((other) => other.object),
    }));
}
