import { z } from "zod";
import { type MemoryTier, MemoryTierSchema } from "../scope.js";
import { DEFAULT_PREFIX } from "../subjects.js";
import { envelopeShape } from "./envelope.js";

/**
 * `memory/event`: an entry was stored, forgotten, expired or evicted. It never includes the content and is
 * delivered at most once.
 */
export const MemoryEventSchema = z
  .looseObject({
    type: z.literal("memory/event"),
    ...envelopeShape,
    action: z.enum(["stored", "forgotten", "expired", "evicted"]),
    tier: MemoryTierSchema,
    namespace: z.string(),
    key: z.record(z.string(), z.unknown()),
    key_hash: z.string(),
    tags: z.array(z.string()),
    group: z.string().optional(),
    revision: z.int(),
    author: z.string(),
    at: z.number(),
    event_id: z.string().optional(),
  })
  .meta({ id: "MemoryEvent" });
export type MemoryEvent = z.infer<typeof MemoryEventSchema>;

const reindexStatusShape = {
  state: z.enum(["done", "running", "paused"]),
  generation: z.int().min(0),
  /** Embedder id, empty if the tier has no embedder. */
  embedder: z.string(),
  analyzer: z.string(),
  /** Number of entries, and of entries in the current generation. */
  total: z.int().min(0),
  done: z.int().min(0),
};

const ReindexStatusSchema = z.object(reindexStatusShape);
/** Reindex progress of a tier with its current embedder and analyzer. */
export type ReindexStatus = z.infer<typeof ReindexStatusSchema>;

/** `memory/reindex`: reindex progress that a host reports to its operators. */
export const ReindexProgressSchema = z
  .looseObject({
    type: z.literal("memory/reindex"),
    ...envelopeShape,
    host_id: z.string(),
    tier: MemoryTierSchema,
    ...reindexStatusShape,
  })
  .meta({ id: "ReindexProgress" });
export type ReindexProgress = z.infer<typeof ReindexProgressSchema>;

/** Returns the reindex status from a plugin's `stats()`, or undefined if they do not contain it. */
export function parseReindexStatus(stats: Readonly<Record<string, unknown>>): ReindexStatus | undefined {
  const { reindex_state: state, reindex_total: total, reindex_done: done, ...rest } = stats;
  return ReindexStatusSchema.safeParse({ ...rest, state, total, done }).data;
}

/**
 * Returns the subject `a2e.$HOST.<host id>.events.reindex.semantic`. `$HOST` is not a valid tenant name
 * (clause EVENT-6).
 */
export function reindexSubject(hostId: string, tier: MemoryTier, prefix = DEFAULT_PREFIX): string {
  return `${prefix}.$HOST.${hostId}.events.reindex.${tier}`;
}
