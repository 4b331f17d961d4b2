import { z } from "zod";
import { type Criteria, criteriaShape, isUnfiltered } from "../filter/index.js";
import { LIMITS } from "../limits.js";
import { replyShape, selectShape } from "./envelope.js";

/** `memory/forget/req`: deletes all matching entries (clause FORGET-1). */
export const MemoryForgetRequestSchema = z
  .strictObject({
    type: z.literal("memory/forget/req"),
    ...selectShape,
    ...criteriaShape,
    dry_run: z.boolean().nullish().meta({ description: "only counts the entries" }),
    cascade: z.boolean().nullish().meta({
      description: "also forgets entries that were derived from the matching entries, according to `sources`",
    }),
    purge: z.boolean().nullish().meta({ description: "replies after the bytes are erased from disk" }),
    all: z
      .boolean()
      .nullish()
      .meta({ description: "required to forget without criteria, and to forget all of semantic" }),
  })
  .refine((request) => request.all || !requiresAll(request), {
    error: "would forget every entry: set `all: true`",
    path: ["all"],
  })
  .meta({ id: "MemoryForgetRequest" });
export type MemoryForgetRequest = z.input<typeof MemoryForgetRequestSchema>;

/**
 * Returns true if a forget requires `all`. An agent may clear its own tier by name, but not the shared tier
 * or all tiers (clause FORGET-3).
 */
function requiresAll(criteria: Criteria): boolean {
  const ownTier = criteria.tier === "working" || criteria.tier === "episodic";
  return isUnfiltered(criteria) && !ownTier;
}

export const ForgetReceiptSchema = z
  .looseObject({
    id: z.string(),
    at: z.number(),
    by_tier: z.record(z.string(), z.int().min(0)),
    cascaded: z.array(z.int().min(0)).max(LIMITS.cascadeLevels).optional().meta({
      description: "with `cascade`: number of derived entries by level, included in `deleted`",
    }),
    purge: z
      .enum(["done", "scheduled"])
      .meta({ description: "whether the bytes are already erased from disk" }),
  })
  .meta({ id: "ForgetReceipt" });
export type ForgetReceipt = z.infer<typeof ForgetReceiptSchema>;

/** `memory/forget/resp`: the number of deleted entries. */
export const MemoryForgetResponseSchema = z
  .looseObject({
    type: z.literal("memory/forget/resp"),
    ...replyShape,
    deleted: z.int().min(0),
    receipt: ForgetReceiptSchema,
  })
  .meta({ id: "MemoryForgetResponse" });
export type MemoryForgetResponse = z.infer<typeof MemoryForgetResponseSchema>;
