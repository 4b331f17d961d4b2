import {
  OBSERVATION_PREDICATE,
  RESERVED_PREDICATES,
  type StoredTriple,
  type TripleKey,
  TYPE_PREDICATE,
} from "./triple.js";

/** A node with a type and what has been observed of it, in words. */
export interface Entity {
  readonly name: string;
  /** "" for a node that nobody has given a type; of several, the first that it was given. */
  readonly entityType: string;
  /** The oldest first. */
  readonly observations: readonly string[];
}

/** A triple whose ends are nodes, in active voice: `from` works_at `to`. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

export interface EntitiesAndRelations {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

export function typeTriple({ name, entityType }: Pick<Entity, "name" | "entityType">): TripleKey {
  return { subject: name, predicate: TYPE_PREDICATE, object: entityType };
}

export function observationTriple(entityName: string, text: string): TripleKey {
  return { subject: entityName, predicate: OBSERVATION_PREDICATE, object: text };
}

/** @throws {TypeError} for a relation of a type that tells of an entity and not of two. */
export function relationTriple({ from, to, relationType }: Relation): TripleKey {
  const predicate = relationType.trim().toLowerCase();
  if (RESERVED_PREDICATES.includes(predicate)) {
    throw new TypeError(`${predicate} is no relation: it is what entities are kept by`);
  }
  return { subject: from, predicate: relationType, object: to };
}

export function relationOf({ subject, predicate, object }: TripleKey): Relation {
  return { from: subject, to: object, relationType: predicate };
}

/** The triples as entities and relations. Every subject of a type or an observation is an entity. */
export function entitiesAndRelations(triples: Iterable<StoredTriple>): EntitiesAndRelations {
  const entities = new Map<string, { name: string; entityType: string; observations: string[] }>();
  const relations: Relation[] = [];
  for (const triple of triples) {
    if (!RESERVED_PREDICATES.includes(triple.predicate)) {
      relations.push(relationOf(triple));
      continue;
    }
    const entity = entities.get(triple.subject) ?? { name: triple.subject, entityType: "", observations: [] };
    entities.set(triple.subject, entity);
    if (triple.predicate === OBSERVATION_PREDICATE) entity.observations.push(triple.object);
    else if (entity.entityType === "") entity.entityType = triple.object;
  }
  return { entities: [...entities.values()], relations };
}
