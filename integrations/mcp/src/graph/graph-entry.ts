import type { EntryInput } from "@membus/agent-client";
import type { Filter, KeyHashReference, MemoryEntry, MemoryKey, MemoryTier } from "@membus/protocol";
import { keyHash } from "@membus/protocol";
import type { Entity, Relation } from "./graph.js";

/** Entities and relations are told from all other entries of the namespace by this field of their keys. */
export const IS_ENTITY: Filter = { field: "key.graph", op: "eq", value: "entity" };
export const IS_RELATION: Filter = { field: "key.graph", op: "eq", value: "relation" };

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

export function entityOf({ key, content }: MemoryEntry): Entity {
  const { entityType, observations } = content as Pick<Entity, "entityType" | "observations">;
  return { name: key.name as string, entityType, observations: [...observations] };
}

export function relationOf({ key }: MemoryEntry): Relation {
  const { from, to, relationType } = key as unknown as Relation;
  return { from, to, relationType };
}
