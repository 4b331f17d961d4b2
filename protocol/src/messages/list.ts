import { z } from "zod";
import { boundedString } from "../bounded-values.js";
import { criteriaShape } from "../filter/index.js";
import { LIMITS } from "../limits.js";
import { LIST_NAMESPACE } from "../scope.js";
import { replyShape, requestShape } from "./envelope.js";
import { DegradedTierSchema, TotalRelationSchema } from "./retrieve.js";

const FIELD = new RegExp(
  `^(tags|group|author|source|metadata\\.[A-Za-z0-9_-]{1,64}|key\\.[\\s\\S]{1,${LIMITS.stringLength}})$`,
);

export const ListOrderSchema = z.enum(["name", "count", "newest"]).meta({ id: "ListOrder" });
export type ListOrder = z.infer<typeof ListOrderSchema>;

/** `memory/list/req`: criteria, and the field to list the distinct values of (clause LIST-1). */
export const MemoryListRequestSchema = z
  .strictObject({
    type: z.literal("memory/list/req"),
    ...requestShape,
    namespace: z
      .string()
      .regex(LIST_NAMESPACE, "must be a path of 1..8 segments, one followed by /**, or **")
      .nullish()
      .meta({ description: "one namespace, a subtree `a/**`, or `**` for all namespaces of the caller" }),
    ...criteriaShape,
    field: z
      .string()
      .regex(FIELD, "must be tags, group, author, source, metadata.<name> or key.<name>")
      .nullish()
      .meta({ description: "field to list the values of, absent: lists namespaces" }),
    depth: z
      .int()
      .min(1)
      .max(LIMITS.namespaceSegments)
      .nullish()
      .meta({ description: "segments below the path when listing namespaces, default 8 (all)" }),
    order: ListOrderSchema.nullish().meta({ description: "default name" }),
    limit: z.int().min(0).max(LIMITS.listLimit).nullish().meta({ description: "default 100, 0 only counts" }),
    cursor: boundedString(LIMITS.cursorLength).nullish(),
  })
  .refine((request) => request.depth == null || request.field == null, {
    error: "cannot be combined with field, it applies only to lists of namespaces",
    path: ["depth"],
  })
  .meta({ id: "MemoryListRequest" });
export type MemoryListRequest = z.input<typeof MemoryListRequestSchema>;

/** Listed value and statistics of its entries (clauses LIST-2 to LIST-6). */
export const ListItemSchema = z
  .looseObject({
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .meta({ description: "value of the field, or path of the namespace" }),
    count: z.int().min(1),
    newest: z.number().meta({ description: "latest occurred_at in Unix seconds" }),
    bytes: z.int().min(0).meta({ description: "approximate size of the entries as JSON" }),
  })
  .meta({ id: "ListItem" });
export type ListItem = z.infer<typeof ListItemSchema>;

/** `memory/list/resp`: one page in the requested order (clause LIST-8). */
export const MemoryListResponseSchema = z
  .looseObject({
    type: z.literal("memory/list/resp"),
    ...replyShape,
    items: z.array(ListItemSchema),
    total: z.int().min(0).meta({ description: "number of distinct values before the limit" }),
    total_relation: TotalRelationSchema,
    cursor: z.string().optional().meta({ description: "present if there may be more items" }),
    degraded: z.array(DegradedTierSchema).optional(),
  })
  .meta({ id: "MemoryListResponse" });
export type MemoryListResponse = z.infer<typeof MemoryListResponseSchema>;
