import { z } from "zod";
import { boundedString, FractionSchema } from "../bounded-values.js";
import type { Json } from "../json.js";
import { LIMITS } from "../limits.js";
import { MemoryTierSchema } from "../scope.js";
import { EntryExplanationSchema, SnippetSchema } from "./ranking.js";

/**
 * Any JSON value. Values that an encoding cannot carry are rejected before schemas run (clause ENV-VALUE-1).
 */
export const JsonSchema = z
  .custom<Json>((value) => value !== undefined, "is required")
  .meta({ description: "any JSON value" });

/** Returns a refinement that reports a record with more than `max` fields as `too_large`. */
export function maxFields(max: number) {
  return (record: object, context: z.RefinementCtx): void => {
    if (Object.keys(record).length <= max) return;
    context.addIssue({ code: "too_big", origin: "object", maximum: max, input: record });
  };
}

const KeyObjectSchema = z
  .record(boundedString(LIMITS.stringLength).min(1, "field names must not be empty"), JsonSchema)
  .refine((key) => Object.keys(key).length > 0, "must have at least one field")
  .refine(
    (key) => !Object.keys(key).some((name) => name.startsWith("$")),
    "must not have a field name that starts with $",
  )
  .meta({ minProperties: 1, propertyNames: { pattern: "^[^$]", maxLength: LIMITS.stringLength } });

/** Identity of an entry. A string is short for `{"name": string}` (clause KEY-1). */
export const MemoryKeySchema = z
  .union([KeyObjectSchema, boundedString(LIMITS.stringLength).min(1)], {
    error: "must be a non-empty object or a string",
  })
  .meta({ id: "MemoryKey" });

/** Key hash. */
export const HashSchema = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hex digits");

export const TagSchema = boundedString(LIMITS.tagLength).min(1);
export const TimeSchema = z.number().min(0).max(1e11).meta({ description: "Unix seconds" });
const FieldNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "field names must be 1..64 letters, digits, _ or -");
export const GroupSchema = boundedString(LIMITS.stringLength).min(1);

const MetadataValueSchema = z.union(
  [
    boundedString(LIMITS.stringLength),
    z.number(),
    z.boolean(),
    z.array(boundedString(LIMITS.stringLength)).max(LIMITS.listElements),
  ],
  { error: "must be a string, a number, a boolean or a list of strings" },
);
export type MetadataValue = z.infer<typeof MetadataValueSchema>;

const MetadataSchema = z
  .record(FieldNameSchema, MetadataValueSchema)
  .superRefine(maxFields(LIMITS.metadataFields))
  .meta({ maxProperties: LIMITS.metadataFields });

/**
 * Largest magnitude of a component. The nearest float32 to any number up to this limit is below 2^53, so JSON
 * can carry it.
 */
const COMPONENT_MAX = 9e15;

/** Embedding: a list of numbers in JSON, little-endian float32 binary in MessagePack (clause ENC-5). */
export const EmbeddingSchema = z
  .union(
    [
      z.instanceof(Float32Array),
      z
        .array(z.number().min(-COMPONENT_MAX).max(COMPONENT_MAX))
        .transform((vector) => Float32Array.from(vector)),
    ],
    { error: "must be a list of numbers, or binary in MessagePack" },
  )
  .superRefine((vector, context) => {
    const max = LIMITS.embeddingDimensions;
    const outside = vector.findIndex((component) => !(Math.abs(component) <= COMPONENT_MAX));
    if (outside >= 0) {
      const message = `must be a number of at most ${COMPONENT_MAX} in magnitude`;
      context.addIssue({ code: "custom", message, path: [outside] });
    }
    if (vector.length === 0) context.addIssue("must have at least one component");
    if (vector.length > max)
      context.addIssue({ code: "too_big", origin: "array", maximum: max, input: vector });
  });

/** Key hashes of the entries that an entry was derived from (clause SRC-1). */
const SourcesSchema = z
  .array(HashSchema)
  .max(LIMITS.sources)
  .refine((sources) => new Set(sources).size === sources.length, "must be distinct")
  .meta({ uniqueItems: true, description: "key hashes of the entries that this entry was derived from" });

/** Extension fields. On an update, an absent field keeps its value and null clears it (clause UPD-2). */
const extensionShape = {
  metadata: MetadataSchema.nullish(),
  text: z.string().nullish().meta({ description: "text to index instead of the derived text" }),
  context: z
    .string()
    .nullish()
    .meta({ description: "text that helps to find the entry but is not part of it" }),
  group: GroupSchema.nullish().meta({
    description: "group that the entry belongs to, such as a conversation or a document",
  }),
  occurred_at: TimeSchema.nullish(),
  importance: FractionSchema.nullish(),
  sources: SourcesSchema.nullish(),
  embedding: EmbeddingSchema.nullish(),
};

/** Names of the extension fields of stored and listed entries. */
export const EXTENSION_FIELDS = Object.keys(extensionShape) as readonly (keyof typeof extensionShape)[];

/** One entry of a store request. Unknown fields are ignored, unless their name starts with `if_`. */
export const StoreEntrySchema = z
  .object({
    key: MemoryKeySchema,
    content: JsonSchema,
    tier: MemoryTierSchema.nullish(),
    tags: z.array(TagSchema).max(LIMITS.tags).nullish(),
    source: boundedString(LIMITS.stringLength).nullish(),
    score: FractionSchema.nullish().meta({ description: "importance of a new entry, ignored on an update" }),
    ttl: z
      .number()
      .min(0)
      .max(1e10)
      .nullish()
      .meta({ description: "lifetime in seconds from acceptance, unlimited if 0 or null" }),
    expires_at: TimeSchema.nullish().meta({ description: "expiry time, instead of ttl" }),
    ...extensionShape,
    embedding_model: boundedString(LIMITS.stringLength).min(1).nullish(),
    if_revision: z
      .int()
      .min(0)
      .nullish()
      .meta({ description: "expected revision, 0 if the entry must not exist" }),
  })
  .refine((entry) => !entry.embedding || entry.embedding_model, {
    error: "is required with an embedding",
    path: ["embedding_model"],
  })
  .meta({ id: "StoreEntry" });

export type StoreEntry = z.infer<typeof StoreEntrySchema>;

const TimestampsSchema = z
  .looseObject({ created: TimeSchema, updated: TimeSchema, accessed: TimeSchema })
  .meta({ id: "Timestamps" });

const returnedShape = {
  key: z.record(z.string(), JsonSchema),
  key_hash: HashSchema,
  content: JsonSchema,
  tier: MemoryTierSchema,
  tags: z.array(z.string()),
  source: z.string(),
  score: FractionSchema.meta({ description: "relevance x importance factor x recency" }),
  ttl: z.number().positive().nullable(),
  timestamps: TimestampsSchema,
  revision: z.int().min(1).meta({ description: "opaque, increases with every write of the key" }),
  seq: z.int().min(1).meta({ description: "revision at creation" }),
  namespace: z.string(),
  author: z.string().meta({ description: "agent that wrote this revision" }),
  occurred_at: TimeSchema,
  importance: FractionSchema,
  expires_at: TimeSchema.optional(),
  metadata: MetadataSchema.optional(),
  text: z.string().optional(),
  context: z.string().optional(),
  group: z.string().optional(),
  sources: SourcesSchema.optional(),
  embedding: EmbeddingSchema.optional(),
  embedding_model: z.string().optional(),
};

const { embedding: _vector, embedding_model: _model, ...neighbourShape } = returnedShape;

/** Neighbour of a retrieved entry. Its score is its importance (clause RET-30). */
const NeighbourSchema = z.looseObject(neighbourShape).meta({ id: "Neighbour" });

/** Entries of the same group that are nearest in `seq`, in ascending order (clause RET-29). */
const NeighboursSchema = z
  .looseObject({ before: z.array(NeighbourSchema), after: z.array(NeighbourSchema) })
  .meta({ id: "Neighbours" });
export type Neighbours = z.infer<typeof NeighboursSchema>;

/** Retrieved entry. Readers ignore unknown fields. */
export const MemoryEntrySchema = z
  .looseObject({
    ...returnedShape,
    neighbours: NeighboursSchema.optional(),
    explain: EntryExplanationSchema.optional(),
    snippet: SnippetSchema.optional(),
  })
  .meta({ id: "MemoryEntry" });

export type MemoryEntry = z.infer<typeof MemoryEntrySchema>;
