import { z } from "zod";
import { boundedString } from "./bounded-string.js";
import { criteriaShape } from "./criteria.js";
import { EmbeddingSchema, FractionSchema, MemoryEntrySchema } from "./entry.js";
import { replyShape, selectShape } from "./envelope.js";
import { LIMITS } from "./limits.js";
import { MemoryTierSchema } from "./tier.js";

export const OrderSchema = z.enum(["relevance", "newest", "oldest"]).meta({ id: "Order" });
export type Order = z.infer<typeof OrderSchema>;

export const RetrieveModeSchema = z.enum(["hybrid", "vector", "text"]).meta({ id: "RetrieveMode" });
export type RetrieveMode = z.infer<typeof RetrieveModeSchema>;

export const IncludeSchema = z.enum(["context", "embedding"]).meta({ id: "Include" });
export type Include = z.infer<typeof IncludeSchema>;

/** `memory/retrieve/req`: criteria, and a query or an embedding to rank by. */
export const MemoryRetrieveRequestSchema = z
  .strictObject({
    type: z.literal("memory/retrieve/req"),
    ...selectShape,
    ...criteriaShape,
    query: boundedString(LIMITS.queryLength).nullish(),
    embedding: EmbeddingSchema.nullish(),
    embedding_model: boundedString(LIMITS.stringLength).min(1).nullish(),
    order: OrderSchema.nullish().meta({ description: "default relevance with a query, else newest" }),
    limit: z
      .int()
      .min(0)
      .max(LIMITS.retrieveLimit)
      .nullish()
      .meta({ description: "default 10; 0 only counts" }),
    min_score: FractionSchema.nullish(),
    cursor: boundedString(LIMITS.cursorLength).nullish(),
    mode: RetrieveModeSchema.nullish().meta({ description: "default hybrid" }),
    include: z.array(IncludeSchema).max(8).nullish(),
  })
  .refine((request) => !request.embedding || request.embedding_model, {
    error: "an embedding needs its embedding_model",
    path: ["embedding_model"],
  })
  .refine((request) => request.order !== "relevance" || request.query || request.embedding, {
    error: "order relevance needs a query or an embedding",
    path: ["order"],
  })
  .meta({ id: "MemoryRetrieveRequest" });
export type MemoryRetrieveRequest = z.input<typeof MemoryRetrieveRequestSchema>;

export const TotalRelationSchema = z.enum(["eq", "gte"]).meta({ id: "TotalRelation" });
export type TotalRelation = z.infer<typeof TotalRelationSchema>;

export const DegradedTierSchema = z
  .looseObject({ tier: MemoryTierSchema, code: z.string(), message: z.string() })
  .meta({ id: "DegradedTier" });
export type DegradedTier = z.infer<typeof DegradedTierSchema>;

/** `memory/retrieve/resp`: one page in the total order (clause RET-5). */
export const MemoryRetrieveResponseSchema = z
  .looseObject({
    type: z.literal("memory/retrieve/resp"),
    ...replyShape,
    entries: z.array(MemoryEntrySchema),
    total: z.int().min(0).meta({ description: "matches before the limit" }),
    total_relation: TotalRelationSchema,
    cursor: z.string().optional().meta({ description: "present while more may follow" }),
    degraded: z.array(DegradedTierSchema).optional(),
    took_ms: z.record(z.string(), z.number()),
  })
  .meta({ id: "MemoryRetrieveResponse" });
export type MemoryRetrieveResponse = z.infer<typeof MemoryRetrieveResponseSchema>;
