import { z } from "zod";
import { boundedString, FractionSchema } from "../bounded-values.js";
import { LIMITS } from "../limits.js";

/**
 * Field that the words of a query are searched in. `text` is the text, `context` includes the words of the
 * key, `time` is the time in words.
 */
export const QueryFieldSchema = z.enum(["text", "context", "time"]).meta({ id: "QueryField" });
export type QueryField = z.infer<typeof QueryFieldSchema>;

/** Largest share by which importance lowers the score of a query result (clause RET-8). */
const IMPORTANCE_WEIGHT = 0.25;

/**
 * Returns the factor of the relevance for an importance of 0..1: 0.75 to 1. So importance decides between
 * entries of similar relevance, and never hides an entry that matches the query (clause RET-8).
 */
export function importanceFactor(importance: number): number {
  return 1 - IMPORTANCE_WEIGHT * (1 - importance);
}

/** Recency weighting: how much the age of an entry lowers its score (clause RET-24). */
export const RecencySchema = z
  .strictObject({
    half_life_s: z
      .number()
      .positive()
      .max(1e11)
      .meta({ description: "age in seconds at which half of the recency factor is left" }),
    weight: FractionSchema.nullish().meta({
      description: "maximum share of the score that age may remove, default 0.5",
    }),
  })
  .meta({ id: "Recency" });
export type Recency = z.infer<typeof RecencySchema>;

const NeighbourCountSchema = z.int().min(0).max(LIMITS.expandNeighbours).nullish();

/** Number of group neighbours to return with each entry (clause RET-29). */
export const ExpandSchema = z
  .strictObject({ before: NeighbourCountSchema, after: NeighbourCountSchema })
  .meta({ id: "Expand", description: "an absent number is 0" });
export type Expand = z.infer<typeof ExpandSchema>;

const MatchedTermSchema = z
  .looseObject({
    term: z.string().meta({ description: "term as it appears in the query" }),
    weight: FractionSchema.meta({ description: "share of the term in the query" }),
    score: FractionSchema.meta({ description: "contribution to `lexical`" }),
    fields: z.array(QueryFieldSchema).meta({ description: "fields of the entry that contain the term" }),
  })
  .meta({ id: "MatchedTerm" });

const OffsetSchema = z.int().min(0).max(LIMITS.derivedTextLength);

/** Passage of an entry's text that matches the query best (clauses RET-43 to RET-45). */
export const SnippetSchema = z
  .looseObject({
    text: boundedString(LIMITS.snippetLength),
    start: OffsetSchema.meta({ description: "position in the indexed text, in UTF-16 code units" }),
  })
  .meta({ id: "Snippet" });
export type Snippet = z.infer<typeof SnippetSchema>;

/** Position of the best passage in the indexed text, in UTF-16 code units (clause RET-46). */
const PassageSchema = z
  .looseObject({ start: OffsetSchema, end: OffsetSchema.meta({ description: "position after the passage" }) })
  .meta({ id: "Passage" });

/** Explanation of an entry's score (clauses RET-31 and RET-32). */
export const EntryExplanationSchema = z
  .looseObject({
    terms: z
      .array(MatchedTermSchema)
      .meta({ description: "query terms that the entry contains, in query order" }),
    lexical: FractionSchema.meta({ description: "lexical score: the sum of the terms' scores" }),
    similarity: FractionSchema.nullable().meta({
      description:
        "cosine similarity to the query, negative values as 0, null if there are no comparable vectors",
    }),
    group: FractionSchema.meta({ description: "score of the entry's group, 0 without a group" }),
    relevance: FractionSchema,
    importance: FractionSchema.meta({
      description: "the importance without a query and embedding, else its factor, 0.75 to 1",
    }),
    recency: FractionSchema.meta({ description: "recency factor, 1 if not requested" }),
    rerank: FractionSchema.optional().meta({ description: "score of the reranker, replaces `relevance`" }),
    passage: PassageSchema.optional().meta({
      description: "best passage of the entry, if the tier declares `snippet`",
    }),
  })
  .meta({ id: "EntryExplanation" });
export type EntryExplanation = z.infer<typeof EntryExplanationSchema>;

/** Ranking details of a tier, without the tier's name. */
export const rankingShape = {
  analyzer: z
    .string()
    .nullable()
    .meta({ description: "id of the analyzer that turns texts into terms, null if none" }),
  embedder: z
    .string()
    .nullable()
    .meta({ description: "id of the embedder that embedded the query, null if none" }),
  generation: z
    .string()
    .nullable()
    .meta({ description: "id of the embedder of the compared vectors, null if none" }),
  candidates: z
    .int()
    .min(0)
    .meta({ description: "number of entries that match the criteria, with any score" }),
  terms: z.array(z.string()).meta({ description: "terms of the analyzed query" }),
};

export const RankingExplanationSchema = z.looseObject(rankingShape);
export type RankingExplanation = z.infer<typeof RankingExplanationSchema>;
