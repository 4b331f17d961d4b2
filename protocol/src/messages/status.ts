import { z } from "zod";
import { MessageIdSchema, replyShape, requestShape } from "./envelope.js";
import { StoreErrorSchema, StoreReceiptSchema } from "./store.js";

/** `memory/status/req`: what became of an earlier request of the same agent. */
export const MemoryStatusRequestSchema = z
  .strictObject({
    type: z.literal("memory/status/req"),
    ...requestShape,
    request_id: MessageIdSchema.meta({ description: "the id of the store request" }),
    kind: z
      .string()
      .min(1)
      .max(64)
      .nullish()
      .meta({ description: "default store; other kinds are unsupported" }),
  })
  .meta({ id: "MemoryStatusRequest" });
export type MemoryStatusRequest = z.input<typeof MemoryStatusRequestSchema>;

/** `memory/status/resp`: the receipts as they stand now; `done` when none can change any more. */
export const MemoryStatusResponseSchema = z
  .looseObject({
    type: z.literal("memory/status/resp"),
    ...replyShape,
    kind: z.string(),
    request_id: z.string(),
    done: z.boolean(),
    receipts: z.array(StoreReceiptSchema),
    errors: z.array(StoreErrorSchema),
  })
  .meta({ id: "MemoryStatusResponse" });
export type MemoryStatusResponse = z.infer<typeof MemoryStatusResponseSchema>;
