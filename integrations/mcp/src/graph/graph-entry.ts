import type { EntryInput } from "@membus/agent-client";
import type { Filter, KeyHashReference, MemoryEntry, MemoryKey, MemoryTier } from "@membus/protocol";
import { keyHash } from "@membus/protocol";
import { z } from "zod";
import { type Entity, EntitySchema, type Relation, RelationSchema } from "./graph.js";

/** Entities and relations are told from all other entries of the namespace by this field of their keys. */
export const IS_ENTITY: Filter = { field: "key.graph", op: "eq", value: "entity" };
export const IS_RELATION: Filter = { field: "key.graph", op: "eq", value: "relation" };

const EntityEntrySchema = z.object({
  key: EntitySchema.pick({ name: true })
    .extend({ graph: z.literal("entity") })
    .strict(),
  content: EntitySchema.omit({ name: true }),
});
const RelationKeySchema = RelationSchema.extend({ graph: z.literal("relation") }).strict();

export function entityKey(name: string): MemoryKey {
  return { graph: "entity", name };
}

export function relationKey({ from, to, relationType }: Relation): MemoryKey {
  return { graph: "relation", from, to, relationType };
}

/** Names it whatever its size: a name that is too long for a key is one that is not there. */
export function referenceTo(key: MemoryKey): KeyHashReference {
  return { $hash: keyHash(key) };
}

export function entityEntry({ name, entityType, observations }: Entity, tier: MemoryTier): EntryInput {
  return { key: entityKey(name), content: { entityType, observations: [...observations] }, tier };
}

export function relationEntry(relation: Relation, tier: MemoryTier): EntryInput {
  const { from, to, relationType } = relation;
  return { key: relationKey(relation), content: `${from} ${relationType} ${to}`, tier };
}

/** Undefined for what others have stored in its place, which only its key's `graph` calls an entity. */
export function entityOf({ key, content }: MemoryEntry): Entity | undefined {
  const { success, data } = EntityEntrySchema.safeParse({ key, content });
  return success ? { name: data.key.name, ...data.content } : undefined;
}

/** Undefined likewise. */
export function relationOf({ key }: MemoryEntry): Relation | undefined {
  const { success, data } = RelationKeySchema.safeParse(key);
  return success ? { from: data.from, to: data.to, relationType: data.relationType } : undefined;
}
