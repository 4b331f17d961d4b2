import { z } from "zod";
import { MessageIdSchema, replyShape, requestShape } from "./envelope.js";
import { StoreErrorSchema, StoreReceiptSchema } from "./store.js";

/** Name of an obstacle that delays the erasure of a forget (clause STATUS-8). */
export const PurgeReasonSchema = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

/** `memory/status/req`: queries the result of an earlier request of the same agent. */
export const MemoryStatusRequestSchema = z
  .strictObject({
    type: z.literal("memory/status/req"),
    ...requestShape,
    request_id: MessageIdSchema.meta({ description: "id of the store or forget" }),
    kind: z
      .string()
      .min(1)
      .max(64)
      .nullish()
      .meta({ description: "store or forget, default store, other kinds are unsupported" }),
  })
  .meta({ id: "MemoryStatusRequest" });
export type MemoryStatusRequest = z.input<typeof MemoryStatusRequestSchema>;

/**
 * `memory/status/resp`: the current receipts of a store, or the purge state of a forget. `done` is true once
 * nothing can change.
 */
export const MemoryStatusResponseSchema = z
  .looseObject({
    type: z.literal("memory/status/resp"),
    ...replyShape,
    kind: z.string(),
    request_id: z.string(),
    done: z.boolean(),
    receipts: z.array(StoreReceiptSchema),
    errors: z.array(StoreErrorSchema),
    purge: z
      .enum(["done", "scheduled"])
      .optional()
      .meta({ description: "for a forget: whether the deleted bytes are erased from disk" }),
    purged_at: z.number().optional().meta({ description: "time of the erasure in Unix seconds" }),
    purge_by: z
      .number()
      .optional()
      .meta({ description: "latest time of the erasure in Unix seconds, absent if unknown" }),
    purge_reason: PurgeReasonSchema.optional().meta({
      description: "obstacle that delays the erasure, such as replica_down, absent without one",
    }),
  })
  .meta({ id: "MemoryStatusResponse" });
export type MemoryStatusResponse = z.infer<typeof MemoryStatusResponseSchema>;
