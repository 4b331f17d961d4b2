import { z } from "zod";
import { FractionSchema } from "../bounded-values.js";
import { LIMITS } from "../limits.js";

/** Where the words of a query are looked for: a text, its context with the words of the key, its time in words. */
export const QueryFieldSchema = z.enum(["text", "context", "time"]).meta({ id: "QueryField" });
export type QueryField = z.infer<typeof QueryFieldSchema>;

/** How much newer entries count for more (clause RET-24). */
export const RecencySchema = z
  .strictObject({
    half_life_s: z.number().positive().max(1e11).meta({ description: "age at which half of it is gone" }),
    weight: FractionSchema.nullish().meta({
      description: "most of the score that age may take; default 0.5",
    }),
  })
  .meta({ id: "Recency" });
export type Recency = z.infer<typeof RecencySchema>;

const NeighbourCountSchema = z.int().min(0).max(LIMITS.expandNeighbours).nullish();

/** How many neighbours of its group an entry is returned with (clause RET-29). */
export const ExpandSchema = z
  .strictObject({ before: NeighbourCountSchema, after: NeighbourCountSchema })
  .meta({ id: "Expand", description: "an absent number is 0" });
export type Expand = z.infer<typeof ExpandSchema>;

const MatchedTermSchema = z
  .looseObject({
    term: z.string().meta({ description: "as the query has it" }),
    weight: FractionSchema.meta({ description: "its share of the query" }),
    score: FractionSchema.meta({ description: "what it adds to `lexical`" }),
    fields: z.array(QueryFieldSchema).meta({ description: "where the entry has it" }),
  })
  .meta({ id: "MatchedTerm" });

/** Why an entry has its score (clauses RET-31 and RET-32). */
export const EntryExplanationSchema = z
  .looseObject({
    terms: z.array(MatchedTermSchema).meta({ description: "of the query, in its order, that the entry has" }),
    lexical: FractionSchema.meta({ description: "what the words say: the sum of the terms' scores" }),
    similarity: FractionSchema.nullable().meta({
      description:
        "cosine to the query, negative ones cut to 0; null where the two have no vectors to compare",
    }),
    group: FractionSchema.meta({ description: "how well the entry's group answers; 0 without a group" }),
    relevance: FractionSchema,
    importance: FractionSchema,
    recency: FractionSchema.meta({ description: "1 where it was not asked for" }),
    rerank: FractionSchema.optional().meta({ description: "what the reranker says, instead of `relevance`" }),
  })
  .meta({ id: "EntryExplanation" });
export type EntryExplanation = z.infer<typeof EntryExplanationSchema>;

/** How a tier ranked, without its name. */
export const rankingShape = {
  analyzer: z.string().nullable().meta({ description: "id of what turns texts into terms; null for none" }),
  embedder: z.string().nullable().meta({ description: "id of what embedded the query; null for none" }),
  generation: z
    .string()
    .nullable()
    .meta({ description: "embedder of the vectors that were compared; null for none" }),
  candidates: z.int().min(0).meta({ description: "entries that meet the criteria, whatever their score" }),
  terms: z.array(z.string()).meta({ description: "what the query was turned into" }),
};

export const RankingExplanationSchema = z.looseObject(rankingShape);
export type RankingExplanation = z.infer<typeof RankingExplanationSchema>;
