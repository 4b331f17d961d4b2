import { z } from "zod";
import { boundedString, FractionSchema } from "../bounded-values.js";
import {
  EmbeddingSchema,
  ExpandSchema,
  MemoryEntrySchema,
  QueryFieldSchema,
  RecencySchema,
  rankingShape,
} from "../entry/index.js";
import { criteriaShape } from "../filter/index.js";
import { LIMITS } from "../limits.js";
import { MemoryTierSchema } from "../scope.js";
import { replyShape, selectShape } from "./envelope.js";

export const OrderSchema = z.enum(["relevance", "newest", "oldest"]).meta({ id: "Order" });
export type Order = z.infer<typeof OrderSchema>;

export const RetrieveModeSchema = z.enum(["hybrid", "vector", "text"]).meta({ id: "RetrieveMode" });
export type RetrieveMode = z.infer<typeof RetrieveModeSchema>;

export const IncludeSchema = z.enum(["context", "embedding", "snippet"]).meta({ id: "Include" });
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
    order: OrderSchema.nullish().meta({
      description: "default relevance with a query or embedding, otherwise newest",
    }),
    limit: z
      .int()
      .min(0)
      .max(LIMITS.retrieveLimit)
      .nullish()
      .meta({ description: "default 10, 0 only counts" }),
    min_score: FractionSchema.nullish(),
    cursor: boundedString(LIMITS.cursorLength).nullish(),
    mode: RetrieveModeSchema.nullish().meta({ description: "default hybrid" }),
    include: z.array(IncludeSchema).max(8).nullish(),
    fields: z
      .array(QueryFieldSchema)
      .min(1)
      .max(8)
      .nullish()
      .meta({ description: "fields to search for the words of the query, default all" }),
    recency: RecencySchema.nullish(),
    diversity: FractionSchema.nullish().meta({
      description: "default 0, a larger value returns a single page without a cursor",
    }),
    expand: ExpandSchema.nullish(),
    explain: z.boolean().nullish(),
    exact: z
      .boolean()
      .nullish()
      .meta({ description: "true compares all entries, also where an index would choose them" }),
    rerank: z.boolean().nullish().meta({ description: "true returns a single page without a cursor" }),
  })
  .refine((request) => !request.embedding || request.embedding_model, {
    error: "is required with an embedding",
    path: ["embedding_model"],
  })
  .refine((request) => request.order !== "relevance" || request.query || request.embedding, {
    error: "relevance needs a query or an embedding",
    path: ["order"],
  })
  .refine((request) => !request.diversity || isByRelevance(request), {
    error: "needs a query or an embedding, and order relevance",
    path: ["diversity"],
  })
  .refine((request) => !request.rerank || (request.query && isByRelevance(request)), {
    error: "needs a query, and order relevance",
    path: ["rerank"],
  })
  .refine((request) => !request.cursor || !(request.diversity || request.rerank), {
    error: "cannot be combined with diversity or rerank, which return a single page",
    path: ["cursor"],
  })
  .meta({ id: "MemoryRetrieveRequest" });
export type MemoryRetrieveRequest = z.input<typeof MemoryRetrieveRequestSchema>;

function isByRelevance({
  query,
  embedding,
  order,
}: {
  readonly query?: string | null | undefined;
  readonly embedding?: unknown;
  readonly order?: Order | null | undefined;
}): boolean {
  return Boolean(query || embedding) && (order ?? "relevance") === "relevance";
}

export const TotalRelationSchema = z.enum(["eq", "gte"]).meta({ id: "TotalRelation" });
export type TotalRelation = z.infer<typeof TotalRelationSchema>;

export const DegradedTierSchema = z
  .looseObject({ tier: MemoryTierSchema, code: z.string(), message: z.string() })
  .meta({ id: "DegradedTier" });
export type DegradedTier = z.infer<typeof DegradedTierSchema>;

/** Ranking details of a tier, if the request sets `explain` (clause RET-33). */
const TierExplanationSchema = z
  .looseObject({ tier: MemoryTierSchema, ...rankingShape })
  .meta({ id: "TierExplanation" });

/** `memory/retrieve/resp`: one page in the total order (clause RET-5). */
export const MemoryRetrieveResponseSchema = z
  .looseObject({
    type: z.literal("memory/retrieve/resp"),
    ...replyShape,
    entries: z.array(MemoryEntrySchema),
    total: z.int().min(0).meta({ description: "number of matches before the limit" }),
    total_relation: TotalRelationSchema,
    cursor: z.string().optional().meta({ description: "present if there may be more entries" }),
    degraded: z.array(DegradedTierSchema).optional(),
    approximate: z
      .array(MemoryTierSchema)
      .min(1)
      .optional()
      .meta({ description: "tiers that chose the entries with an index and may have missed some" }),
    explain: z
      .array(TierExplanationSchema)
      .optional()
      .meta({ description: "ranking details of each tier that answered" }),
    took_ms: z.record(z.string(), z.number()),
  })
  .meta({ id: "MemoryRetrieveResponse" });
export type MemoryRetrieveResponse = z.infer<typeof MemoryRetrieveResponseSchema>;
