import type { EntryInput } from "@membus/agent-client";
import {
  type Filter,
  type KeyHashReference,
  keyHash,
  LIMITS,
  type MemoryEntry,
  type MemoryKey,
  type MemoryTier,
} from "@membus/protocol";
import type { Trust } from "@membus/protocol/records";
import { z } from "zod";
import type { Entity, Relation } from "./entity.js";
import type { EntitySpelling } from "./entity-spelling.js";
import { RESERVED_PREDICATES, type TripleKey, tripleEntry } from "./triple.js";

/** Selects the entries of entities. */
export const IS_ENTITY: Filter = { field: "key.graph", op: "eq", value: "entity" };
/** Selects the entries of relations. Their keys are triple keys. */
export const IS_RELATION: Filter = { field: "key.predicate", op: "exists", value: true };

const EntityEntrySchema = z.object({
  key: z.strictObject({ graph: z.literal("entity"), name: z.string() }),
  content: z.object({ entityType: z.string(), observations: z.array(z.string()) }),
});
const RelationKeySchema = z.strictObject({
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
});

/** Returns whether an entry with this key belongs to an `EntityGraph`. */
export function isGraphKey(key: Readonly<Record<string, unknown>>): boolean {
  return EntityEntrySchema.shape.key.safeParse(key).success || RelationKeySchema.safeParse(key).success;
}

export function entityKey(name: string): MemoryKey {
  return { graph: "entity", name };
}

export function relationKey({ from, to, relationType }: Relation): TripleKey {
  return { subject: from, predicate: relationType, object: to };
}

/** Returns the key by its hash, because a request with a key that is too long would be rejected. */
export function referenceTo(key: MemoryKey): KeyHashReference {
  return { $hash: keyHash(key) };
}

/** Returns the entry of an entity. `metadata` is the metadata of the replaced entry. */
export function entityEntry(
  { name, entityType, observations }: Entity,
  tier: MemoryTier,
  metadata: EntryInput["metadata"],
): EntryInput {
  return { key: entityKey(name), content: { entityType, observations: [...observations] }, metadata, tier };
}

/**
 * Returns the entry of a relation: a triple, which `KnowledgeGraph` reads too. A relation with an empty part is no valid triple
 * (chapter 7), so it is stored without a record kind.
 */
export function relationEntry(relation: Relation, tier: MemoryTier, trust: Trust): EntryInput {
  const key = relationKey(relation);
  const parts = Object.values(key);
  if (parts.every((part) => part !== "" && isNameLength(part))) {
    return tripleEntry({ ...key, evidence: [], trust }, { tier });
  }
  return { key, content: {}, metadata: { trust }, tier, text: parts.join(" ") };
}

/** Returns undefined for an entry without the key and content of an entity. */
export function readEntity({ key, content }: MemoryEntry): Entity | undefined {
  const { success, data } = EntityEntrySchema.safeParse({ key, content });
  return success ? { name: data.key.name, ...data.content } : undefined;
}

/** Returns undefined for an entry that is no relation in this spelling. */
export function readRelation({ key }: MemoryEntry, spelling: EntitySpelling): Relation | undefined {
  const { success, data } = RelationKeySchema.safeParse(key);
  if (!success || !spelling.isRelationType(data.predicate)) return undefined;
  return { from: data.subject, to: data.object, relationType: data.predicate };
}

/** Selects the relations that start or end at one of these nodes. Includes texts about them that `KnowledgeGraph` stored. */
export function relationsAt(names: readonly string[], spelling: EntitySpelling): Filter {
  const value = names.filter(isNameLength);
  const texts = RESERVED_PREDICATES.filter((predicate) => !spelling.isRelationType(predicate));
  const endsHere: Filter[] = [{ field: "key.object", op: "in", value }];
  if (texts.length > 0) endsHere.push({ field: "key.predicate", op: "nin", value: texts });
  const startsHere: Filter = { field: "key.subject", op: "in", value };
  return { all: [IS_RELATION, { any: [startsHere, { all: endsHere }] }] };
}

/** Selects the entity of one name with its relations. */
export function entityWithRelations(name: string, spelling: EntitySpelling): Filter {
  const isNamed: Filter = { all: [IS_ENTITY, { field: "key.name", op: "eq", value: name }] };
  return { any: [isNamed, relationsAt([name], spelling)] };
}

/** Returns false for a name that is too long for a key, so that no entry can have it. */
export function isNameLength(name: string): boolean {
  return name.length <= LIMITS.stringLength;
}
