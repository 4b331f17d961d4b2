import {
  isMemoryError,
  ListItemSchema,
  MemoryEntrySchema,
  PurgeReasonSchema,
  RankingExplanationSchema,
  StoreReceiptSchema,
} from "@membus/protocol";
import type {
  PluginErasureResult,
  PluginForgetResult,
  PluginListResult,
  PluginRetrieveResult,
  PluginStatusResult,
  PluginStoreResult,
} from "@membus/protocol/plugin";
import { z } from "zod";
import { ExpectationError } from "../expect.js";
import { formDiscrepancy } from "../run/reply-form.js";

const StoreErrorsSchema = z.array(
  z.looseObject({ index: z.int().min(0), error: z.custom(isMemoryError, "must be a MemoryError") }),
);
const StoreResultSchema = z.looseObject({ receipts: z.array(StoreReceiptSchema), errors: StoreErrorsSchema });
const StatusResultSchema = StoreResultSchema.extend({ done: z.boolean() }).optional();
const RetrieveResultSchema = z.looseObject({
  entries: z.array(MemoryEntrySchema),
  total: z.int().min(0),
  total_relation: z.enum(["eq", "gte"]),
  cut: z.literal(true).optional(),
  approximate: z.literal(true).optional(),
  explain: RankingExplanationSchema.optional(),
});
const ForgetResultSchema = z.looseObject({
  deleted: z.int().min(0),
  cascaded: z.array(z.int().min(0)).optional(),
  at: z.number().optional(),
  purge: z.enum(["done", "scheduled"]),
});

const ErasureResultSchema = z
  .discriminatedUnion("purge", [
    z.looseObject({ purge: z.literal("done"), purged_at: z.number() }),
    z.looseObject({
      purge: z.literal("scheduled"),
      purge_by: z.number().optional(),
      purge_reason: PurgeReasonSchema.optional(),
    }),
  ])
  .optional();

const ListResultSchema = z.looseObject({ items: z.array(ListItemSchema) });

const SCHEMAS = {
  onStore: StoreResultSchema,
  onRetrieve: RetrieveResultSchema,
  onForget: ForgetResultSchema,
  onStatus: StatusResultSchema,
  onErasure: ErasureResultSchema,
  onList: ListResultSchema,
} as const;

interface Results {
  onStore: PluginStoreResult;
  onRetrieve: PluginRetrieveResult;
  onForget: PluginForgetResult;
  onStatus: PluginStatusResult | undefined;
  onErasure: PluginErasureResult | undefined;
  onList: PluginListResult;
}

/**
 * Validates the result of a plugin method. With `anyForm` it accepts every result.
 * @throws {ExpectationError} names the first malformed field.
 */
export function checkedResult<Method extends keyof Results>(
  method: Method,
  result: unknown,
  anyForm: boolean,
): Results[Method] {
  if (anyForm) return result as Results[Method];
  const parsed = (SCHEMAS[method] as z.ZodType).safeParse(result);
  if (parsed.success) return result as Results[Method];
  throw new ExpectationError(
    formDiscrepancy(`the result of ${method}`, "its shape in the contract", parsed.error, result),
  );
}
