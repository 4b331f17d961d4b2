import { z } from "zod";
import { FractionSchema } from "./fraction.js";
import { LIMITS } from "./limits.js";

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
