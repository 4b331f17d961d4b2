import { z } from "zod";
import { MessageIdSchema, replyShape, requestShape } from "./envelope.js";
import { StoreErrorSchema, StoreReceiptSchema } from "./store.js";

/** `memory/status/req`: what became of an earlier request of the same agent. */
export const MemoryStatusRequestSchema = z
  .strictObject({
    type: z.literal("memory/status/req"),
    ...requestShape,
    request_id: MessageIdSchema.meta({ description: "the id of the store or forget" }),
    kind: z
      .string()
      .min(1)
      .max(64)
      .nullish()
      .meta({ description: "store or forget; default store; other kinds are unsupported" }),
  })
  .meta({ id: "MemoryStatusRequest" });
export type MemoryStatusRequest = z.input<typeof MemoryStatusRequestSchema>;

/** `memory/status/resp`: the receipts as they stand now, or how far a purge is; `done` when nothing can change any more. */
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
      .meta({ description: "of a forget: whether the bytes that it took are gone from disk" }),
    purged_at: z.number().optional().meta({ description: "Unix seconds: they were gone then" }),
    purge_by: z
      .number()
      .optional()
      .meta({ description: "Unix seconds: when they are gone at the latest, where that is known" }),
  })
  .meta({ id: "MemoryStatusResponse" });
export type MemoryStatusResponse = z.infer<typeof MemoryStatusResponseSchema>;
