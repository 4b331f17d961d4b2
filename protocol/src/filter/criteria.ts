import { z } from "zod";
import { boundedString } from "../bounded-values.js";
import {
  GroupSchema,
  HashSchema,
  JsonSchema,
  keyReferenceHash,
  MemoryKeySchema,
  maxFields,
  TagSchema,
  TimeSchema,
} from "../entry/index.js";
import { LIMITS } from "../limits.js";
import { MemoryTierSchema, NAMESPACE_SELECTOR } from "../scope.js";
import type { Filter } from "./filter.js";
import { WhereSchema } from "./where.js";

/** Reference to a key in criteria: the object, a string, or its hash (clause KEY-4). */
export const KeyReferenceSchema = z
  .union([MemoryKeySchema, z.strictObject({ $hash: HashSchema })], {
    error: 'must be a key: an object, a string, or {"$hash": hex}',
  })
  .meta({ id: "KeyReference" });

export const NamespacePatternSchema = z
  .string()
  .regex(NAMESPACE_SELECTOR, "must be a path of 1..8 segments, or one followed by /**")
  .meta({ description: "one namespace, or a subtree `a/**`" });

/**
 * Criteria of retrieve and forget, combined with AND (clause CRIT-1). `namespace` is a field of the envelope.
 */
export const criteriaShape = {
  keys: z.array(KeyReferenceSchema).min(1).max(LIMITS.criteriaKeys).nullish(),
  match: z
    .record(boundedString(LIMITS.stringLength).min(1), JsonSchema)
    .refine((match) => Object.keys(match).length > 0, "must name at least one field of the key")
    .superRefine(maxFields(LIMITS.metadataFields))
    .meta({ minProperties: 1, maxProperties: LIMITS.metadataFields })
    .nullish()
    .meta({ description: "top-level key fields, compared by canonical JSON" }),
  tags: z.array(TagSchema).min(1).max(LIMITS.tags).nullish(),
  tags_mode: z.enum(["any", "all"]).nullish().meta({ description: "default any" }),
  tier: MemoryTierSchema.nullish(),
  group: GroupSchema.nullish(),
  since: TimeSchema.nullish().meta({ description: "occurred_at at or after" }),
  until: TimeSchema.nullish().meta({ description: "occurred_at before" }),
  where: WhereSchema.nullish(),
};

export const CriteriaSchema = z.object(criteriaShape).meta({ id: "Criteria" });
export type Criteria = z.infer<typeof CriteriaSchema>;

/**
 * Compiles all criteria except tier and namespace, which select partitions, into one filter (clause CRIT-1).
 */
export function compileCriteria(criteria: Criteria): Filter {
  const all: Filter[] = [];
  if (criteria.keys) all.push({ field: "key_hash", op: "in", value: criteria.keys.map(keyReferenceHash) });
  for (const [name, value] of Object.entries(criteria.match ?? {})) {
    all.push({ field: `key.${name}`, op: "eq", value });
  }
  if (criteria.tags) all.push(compileTags(criteria.tags, criteria.tags_mode ?? "any"));
  if (criteria.group) all.push({ field: "group", op: "eq", value: criteria.group });
  if (criteria.since != null) all.push({ field: "occurred_at", op: "gte", value: criteria.since });
  if (criteria.until != null) all.push({ field: "occurred_at", op: "lt", value: criteria.until });
  if (criteria.where) all.push(criteria.where);
  return { all };
}

function compileTags(tags: string[], mode: "any" | "all"): Filter {
  if (mode === "any") return { field: "tags", op: "in", value: tags };
  return { all: tags.map((tag): Filter => ({ field: "tags", op: "eq", value: tag })) };
}

/** Returns true if there is no criterion except tier and namespace (clause FORGET-3). */
export function isUnfiltered(criteria: Criteria): boolean {
  return (compileCriteria(criteria) as { all: readonly Filter[] }).all.length === 0;
}
