import type { Entity, Relation } from "./entity.js";
import type { ResolvedEntityGraphOptions } from "./graph-options.js";
import { normaliseNode, normalisePredicate, normaliseText, RESERVED_PREDICATES } from "./triple.js";

/** How the names and texts of a graph are written before they are compared or stored. */
export interface EntitySpelling {
  name(name: string): string;
  entity(entity: Entity): Entity;
  /** @throws {TypeError} for a type that `KnowledgeGraph` reserves for texts about one node. */
  relation(relation: Relation): Relation;
  observations(texts: readonly string[]): readonly string[];
  /** Whether a triple with this predicate is a relation of this graph. */
  isRelationType(predicate: string): boolean;
}

const EXACT: EntitySpelling = {
  name: (name) => name,
  entity: (entity) => entity,
  relation: (relation) => relation,
  observations: (texts) => texts,
  isRelationType: () => true,
};

/** Returns the spelling that the options choose. */
export function entitySpelling(options: ResolvedEntityGraphOptions): EntitySpelling {
  if (options.spelling === "exact") return EXACT;
  const name = (text: string) => normaliseNode(text, options, "name");
  const observations = (texts: readonly string[]) => [
    ...new Set(texts.map((text) => normaliseText(text, "observation"))),
  ];
  return {
    name,
    observations,
    entity: (entity) => ({
      name: name(entity.name),
      entityType: normaliseText(entity.entityType, "entityType"),
      observations: observations(entity.observations),
    }),
    relation({ from, to, relationType }) {
      const type = normalisePredicate(relationType);
      if (RESERVED_PREDICATES.includes(type)) {
        throw new TypeError(`relationType ${type} is reserved for texts about one node`);
      }
      return { from: name(from), to: name(to), relationType: type };
    },
    isRelationType: (predicate) => !RESERVED_PREDICATES.includes(predicate),
  };
}
