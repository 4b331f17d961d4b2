import { z } from "zod";
import { type Criteria, criteriaShape, isUnfiltered } from "../filter/index.js";
import { LIMITS } from "../limits.js";
import { replyShape, selectShape } from "./envelope.js";

/** `memory/forget/req`: everything that matches goes (clause FORGET-1). */
export const MemoryForgetRequestSchema = z
  .strictObject({
    type: z.literal("memory/forget/req"),
    ...selectShape,
    ...criteriaShape,
    dry_run: z.boolean().nullish().meta({ description: "only counts" }),
    cascade: z
      .boolean()
      .nullish()
      .meta({ description: "also forgets what was derived from it, as `sources` say" }),
    purge: z.boolean().nullish().meta({ description: "answered when the bytes are gone from disk" }),
    all: z
      .boolean()
      .nullish()
      .meta({ description: "needed to forget without criteria, and all of semantic" }),
  })
  .refine((request) => request.all || !needsAll(request), {
    error: "would forget every entry: say `all: true`",
    path: ["all"],
  })
  .meta({ id: "MemoryForgetRequest" });
export type MemoryForgetRequest = z.input<typeof MemoryForgetRequestSchema>;

/** Clearing a tier of one's own needs no more than its name; the shared one, or all, needs `all` (clause FORGET-3). */
function needsAll(criteria: Criteria): boolean {
  const ownTier = criteria.tier === "working" || criteria.tier === "episodic";
  return isUnfiltered(criteria) && !ownTier;
}

export const ForgetReceiptSchema = z
  .looseObject({
    id: z.string(),
    at: z.number(),
    by_tier: z.record(z.string(), z.int().min(0)),
    cascaded: z.array(z.int().min(0)).max(LIMITS.cascadeLevels).optional().meta({
      description: "where `cascade` asks for it: derived entries by level, counted in `deleted` too",
    }),
    purge: z
      .enum(["done", "scheduled"])
      .meta({ description: "whether the bytes are gone from disk already" }),
  })
  .meta({ id: "ForgetReceipt" });
export type ForgetReceipt = z.infer<typeof ForgetReceiptSchema>;

/** `memory/forget/resp`: how many entries were really deleted. */
export const MemoryForgetResponseSchema = z
  .looseObject({
    type: z.literal("memory/forget/resp"),
    ...replyShape,
    deleted: z.int().min(0),
    receipt: ForgetReceiptSchema,
  })
  .meta({ id: "MemoryForgetResponse" });
export type MemoryForgetResponse = z.infer<typeof MemoryForgetResponseSchema>;
