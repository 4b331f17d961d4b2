import { z } from "zod";
import type { Json } from "./json.js";
import { LIMITS } from "./limits.js";
import { MemoryTierSchema } from "./tier.js";

/** Any JSON value. What no encoding can carry was refused before schemas see it (clause ENV-VALUE-1). */
export const JsonSchema = z
  .custom<Json>((value) => value !== undefined)
  .meta({ description: "any JSON value" });

const KeyObjectSchema = z
  .record(z.string().min(1).max(LIMITS.stringLength), JsonSchema)
  .refine((key) => Object.keys(key).length > 0, "a key has at least one field")
  .refine((key) => !Object.keys(key).some((name) => name.startsWith("$")), "key fields do not begin with $");

/** What identifies an entry; a string is short for `{"name": string}`. */
export const MemoryKeySchema = z
  .union([KeyObjectSchema, z.string().min(1).max(LIMITS.stringLength)])
  .meta({ id: "MemoryKey" });

export const TagSchema = z.string().min(1).max(LIMITS.tagLength);
export const TimeSchema = z.number().min(0).max(1e11).meta({ description: "Unix seconds" });
export const FractionSchema = z.number().min(0).max(1);
export const FieldNameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
export const GroupSchema = z.string().min(1).max(LIMITS.stringLength);

const MetadataValueSchema = z.union([
  z.string().max(LIMITS.stringLength),
  z.number(),
  z.boolean(),
  z.array(z.string().max(LIMITS.stringLength)).max(LIMITS.listElements),
]);
export type MetadataValue = z.infer<typeof MetadataValueSchema>;

export const MetadataSchema = z
  .record(FieldNameSchema, MetadataValueSchema)
  .refine((metadata) => Object.keys(metadata).length <= LIMITS.metadataFields, {
    error: `metadata has at most ${LIMITS.metadataFields} fields`,
  });

/** A list of numbers in JSON, little-endian float32 binary in MessagePack. */
export const EmbeddingSchema = z
  .union([
    z.instanceof(Float32Array),
    z
      .array(z.number().min(-3.4e38).max(3.4e38))
      .min(1)
      .max(LIMITS.embeddingDimensions)
      .transform((vector) => Float32Array.from(vector)),
  ])
  .refine(
    (vector) => vector.length >= 1 && vector.length <= LIMITS.embeddingDimensions,
    "1..4096 components",
  );

/** The extension fields: on an update an absent one stays, null clears it (clause UPD-2). */
const extensionShape = {
  metadata: MetadataSchema.nullish(),
  text: z.string().nullish().meta({ description: "what to index, instead of the derived text" }),
  context: z.string().nullish().meta({ description: "helps to find the entry, is not part of it" }),
  group: GroupSchema.nullish().meta({ description: "what it is part of: a conversation, a document" }),
  occurred_at: TimeSchema.nullish(),
  importance: FractionSchema.nullish(),
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
    source: z.string().max(LIMITS.stringLength).nullish(),
    score: FractionSchema.nullish().meta({ description: "importance of a new entry; ignored on an update" }),
    ttl: z
      .number()
      .min(0)
      .max(1e10)
      .nullish()
      .meta({ description: "seconds from acceptance; 0 and null: none" }),
    expires_at: TimeSchema.nullish().meta({ description: "instead of ttl" }),
    ...extensionShape,
    embedding_model: z.string().min(1).max(LIMITS.stringLength).nullish(),
    if_revision: z.int().min(0).nullish().meta({ description: "0: must not exist" }),
  })
  .refine((entry) => !entry.embedding || entry.embedding_model, {
    error: "an embedding needs its embedding_model",
    path: ["embedding_model"],
  })
  .meta({ id: "StoreEntry" });

export type StoreEntry = z.infer<typeof StoreEntrySchema>;

export const TimestampsSchema = z
  .looseObject({ created: TimeSchema, updated: TimeSchema, accessed: TimeSchema })
  .meta({ id: "Timestamps" });

/** An entry as it is returned. Readers ignore fields that they do not know. */
export const MemoryEntrySchema = z
  .looseObject({
    key: z.record(z.string(), JsonSchema),
    key_hash: z.string().regex(/^[0-9a-f]{64}$/),
    content: JsonSchema,
    tier: MemoryTierSchema,
    tags: z.array(z.string()),
    source: z.string(),
    score: FractionSchema.meta({ description: "relevance x importance" }),
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
    embedding: EmbeddingSchema.optional(),
    embedding_model: z.string().optional(),
  })
  .meta({ id: "MemoryEntry" });

export type MemoryEntry = z.infer<typeof MemoryEntrySchema>;
