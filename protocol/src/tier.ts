import { z } from "zod";

/** The three tiers, in the order in which equal scores are listed and in which `recall` asks them. */
export const TIERS = ["working", "episodic", "semantic"] as const;

export const MemoryTierSchema = z
  .enum(TIERS)
  .meta({ id: "MemoryTier", description: "working: this session; episodic: this agent; semantic: shared" });

export type MemoryTier = z.infer<typeof MemoryTierSchema>;
