import { z } from "zod";
import { MemoryKeySchema, StoreEntrySchema } from "../entry/index.js";
import { LIMITS } from "../limits.js";
import { replyShape, writeShape } from "./envelope.js";

export const AckSchema = z.enum(["stored", "queued"]).meta({
  id: "Ack",
  description: "stored (default): replies when durable and embedded; queued: replies when durable",
});
export type Ack = z.infer<typeof AckSchema>;

/** `memory/store/req`: 1..1000 entries. An invalid entry does not fail the other entries (clause STORE-2). */
export const MemoryStoreRequestSchema = z
  .strictObject({
    type: z.literal("memory/store/req"),
    ...writeShape,
    entries: z.array(StoreEntrySchema).min(1).max(LIMITS.storeEntries),
    ack: AckSchema.nullish(),
  })
  .meta({ id: "MemoryStoreRequest" });
export type MemoryStoreRequest = z.input<typeof MemoryStoreRequestSchema>;

/** Store request with unvalidated entries. Each entry is validated separately. */
export const StoreEnvelopeSchema = MemoryStoreRequestSchema.extend({
  entries: z.array(z.unknown()).min(1).max(LIMITS.storeEntries),
});
export type StoreEnvelope = z.infer<typeof StoreEnvelopeSchema>;

export const StoreOutcomeSchema = z
  .enum(["created", "updated", "unchanged", "queued", "superseded"])
  .meta({ id: "StoreOutcome" });
export type StoreOutcome = z.infer<typeof StoreOutcomeSchema>;

export const StoreReceiptSchema = z
  .looseObject({
    index: z.int().min(0),
    key_hash: z.string(),
    outcome: StoreOutcomeSchema,
    revision: z.int().min(1),
    event_id: z.string().optional().meta({ description: "<request id>/<index>, if an event was published" }),
  })
  .meta({ id: "StoreReceipt" });
export type StoreReceipt = z.infer<typeof StoreReceiptSchema>;

export const StoreErrorSchema = z
  .looseObject({
    index: z.int().min(0),
    key: MemoryKeySchema.nullable().meta({ description: "null if the key could not be read" }),
    code: z.string(),
    message: z.string(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    retryable: z.boolean(),
  })
  .meta({ id: "StoreError" });
export type StoreError = z.infer<typeof StoreErrorSchema>;

/** `memory/store/resp`: the keys written, and the outcome of each entry. */
export const MemoryStoreResponseSchema = z
  .looseObject({
    type: z.literal("memory/store/resp"),
    ...replyShape,
    stored: z.array(z.record(z.string(), z.unknown())),
    errors: z.array(StoreErrorSchema),
    receipts: z.array(StoreReceiptSchema),
  })
  .meta({ id: "MemoryStoreResponse" });
export type MemoryStoreResponse = z.infer<typeof MemoryStoreResponseSchema>;
