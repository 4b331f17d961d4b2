import { z } from "zod";
import { envelopeShape } from "./envelope.js";
import { MemoryTierSchema } from "./tier.js";

/** `memory/event`: that an entry was stored, forgotten, expired or evicted; never its content. At most once. */
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
