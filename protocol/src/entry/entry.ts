import { z } from "zod";
import { boundedString, FractionSchema } from "../bounded-values.js";
import type { Json } from "../json.js";
import { LIMITS } from "../limits.js";
import { MemoryTierSchema } from "../scope.js";
import { EntryExplanationSchema } from "./ranking.js";

/** Any JSON value. What no encoding can carry was refused before schemas see it (clause ENV-VALUE-1). */
export const JsonSchema = z
  .custom<Json>((value) => value !== undefined, "is required")
  .meta({ description: "any JSON value" });

/** Refines a record: more fields than `max` are `too_large`, as of a list. */
export function atMostFields(max: number) {
  return (record: object, context: z.RefinementCtx): void => {
    if (Object.keys(record).length <= max) return;
    context.addIssue({ code: "too_big", origin: "object", maximum: max, input: record });
  };
}

const KeyObjectSchema = z
  .record(boundedString(LIMITS.stringLength).min(1, "must have a name for every field"), JsonSchema)
  .refine((key) => Object.keys(key).length > 0, "must have at least one field")
  .refine(
    (key) => !Object.keys(key).some((name) => name.startsWith("$")),
    "must have no field that begins with $",
  )
  .meta({ minProperties: 1, propertyNames: { pattern: "^[^$]", maxLength: LIMITS.stringLength } });

/** What identifies an entry; a string is short for `{"name": string}` (clause KEY-1). */
export const MemoryKeySchema = z
  .union([KeyObjectSchema, boundedString(LIMITS.stringLength).min(1)], {
    error: "must be a non-empty object or a string",
  })
  .meta({ id: "MemoryKey" });

/** A key hash. */
export const HashSchema = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hex digits");

export const TagSchema = boundedString(LIMITS.tagLength).min(1);
export const TimeSchema = z.number().min(0).max(1e11).meta({ description: "Unix seconds" });
const FieldNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must have names of 1..64 letters, digits, _ and -");
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
  .superRefine(atMostFields(LIMITS.metadataFields))
  .meta({ maxProperties: LIMITS.metadataFields });

/** Every float32 nearest to a number up to this is one that JSON can carry too: below 2^53. */
const COMPONENT_MAX = 9e15;

/** A list of numbers in JSON, little-endian float32 binary in MessagePack (clause ENC-5). */
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
  .meta({ uniqueItems: true, description: "key hashes of what it was derived from" });

/** The extension fields: on an update an absent one stays, null clears it (clause UPD-2). */
const extensionShape = {
  metadata: MetadataSchema.nullish(),
  text: z.string().nullish().meta({ description: "what to index, instead of the derived text" }),
  context: z.string().nullish().meta({ description: "helps to find the entry, is not part of it" }),
  group: GroupSchema.nullish().meta({ description: "what it is part of: a conversation, a document" }),
  occurred_at: TimeSchema.nullish(),
  importance: FractionSchema.nullish(),
  sources: SourcesSchema.nullish(),
  embedding: EmbeddingSchema.nullish(),
};

/** The extension fields, as stored and listed. */
export const EXTENSION_FIELDS = Object.keys(extensionShape) as readonly (keyof typeof extensionShape)[];

/** One entry of a store request. Fields not listed here are ignored, except those beginning `if_`. */
export const StoreEntrySchema = z
  .object({
    key: MemoryKeySchema,
    content: JsonSchema,
    tier: MemoryTierSchema.nullish(),
    tags: z.array(TagSchema).max(LIMITS.tags).nullish(),
    source: boundedString(LIMITS.stringLength).nullish(),
    score: FractionSchema.nullish().meta({ description: "importance of a new entry; ignored on an update" }),
    ttl: z
      .number()
      .min(0)
      .max(1e10)
      .nullish()
      .meta({ description: "seconds from acceptance; 0 and null: none" }),
    expires_at: TimeSchema.nullish().meta({ description: "instead of ttl" }),
    ...extensionShape,
    embedding_model: boundedString(LIMITS.stringLength).min(1).nullish(),
    if_revision: z.int().min(0).nullish().meta({ description: "0: must not exist" }),
  })
  .refine((entry) => !entry.embedding || entry.embedding_model, {
    error: "an embedding needs its embedding_model",
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
  score: FractionSchema.meta({ description: "relevance x importance x recency" }),
  ttl: z.number().positive().nullable(),
  timestamps: TimestampsSchema,
  revision: z.int().min(1).meta({ description: "opaque, strictly growing per key" }),
  seq: z.int().min(1).meta({ description: "the revision at creation" }),
  namespace: z.string(),
  author: z.string().meta({ description: "the agent that wrote this revision" }),
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

/** An entry that is returned beside one that was found: its score is its importance (clause RET-30). */
const NeighbourSchema = z.looseObject(neighbourShape).meta({ id: "Neighbour" });

/** Of the same group, nearest in `seq`, both lists ascending in it (clause RET-29). */
const NeighboursSchema = z
  .looseObject({ before: z.array(NeighbourSchema), after: z.array(NeighbourSchema) })
  .meta({ id: "Neighbours" });
export type Neighbours = z.infer<typeof NeighboursSchema>;

/** An entry as it is returned. Readers ignore fields that they do not know. */
export const MemoryEntrySchema = z
  .looseObject({
    ...returnedShape,
    neighbours: NeighboursSchema.optional(),
    explain: EntryExplanationSchema.optional(),
  })
  .meta({ id: "MemoryEntry" });

export type MemoryEntry = z.infer<typeof MemoryEntrySchema>;
