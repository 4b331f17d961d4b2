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

/** `memory/list/req`: criteria, and of what the distinct values are told (clause LIST-1). */
export const MemoryListRequestSchema = z
  .strictObject({
    type: z.literal("memory/list/req"),
    ...requestShape,
    namespace: z
      .string()
      .regex(LIST_NAMESPACE, "must be a path of 1..8 segments, one followed by /**, or **")
      .nullish()
      .meta({ description: "one namespace, a subtree `a/**`, or `**` for all of the caller's" }),
    ...criteriaShape,
    field: z
      .string()
      .regex(FIELD, "must be tags, group, author, source, metadata.<name> or key.<name>")
      .nullish()
      .meta({ description: "whose values are listed; absent: namespaces" }),
    depth: z
      .int()
      .min(1)
      .max(LIMITS.namespaceSegments)
      .nullish()
      .meta({ description: "of namespaces: segments below the path; default 8, all" }),
    order: ListOrderSchema.nullish().meta({ description: "default name" }),
    limit: z.int().min(0).max(LIMITS.listLimit).nullish().meta({ description: "default 100; 0 only counts" }),
    cursor: boundedString(LIMITS.cursorLength).nullish(),
  })
  .refine((request) => request.depth == null || request.field == null, {
    error: "is of namespaces, which are listed without a field",
    path: ["depth"],
  })
  .meta({ id: "MemoryListRequest" });
export type MemoryListRequest = z.input<typeof MemoryListRequestSchema>;

/** A value and the entries that have it (clauses LIST-2 to LIST-6). */
export const ListItemSchema = z
  .looseObject({
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .meta({ description: "of the field; of namespaces the path" }),
    count: z.int().min(1),
    newest: z.number().meta({ description: "the latest occurred_at, Unix seconds" }),
    bytes: z.int().min(0).meta({ description: "what the entries take as JSON, roughly" }),
  })
  .meta({ id: "ListItem" });
export type ListItem = z.infer<typeof ListItemSchema>;

/** `memory/list/resp`: one page in the order asked for (clause LIST-8). */
export const MemoryListResponseSchema = z
  .looseObject({
    type: z.literal("memory/list/resp"),
    ...replyShape,
    items: z.array(ListItemSchema),
    total: z.int().min(0).meta({ description: "distinct values before the limit" }),
    total_relation: TotalRelationSchema,
    cursor: z.string().optional().meta({ description: "present while more may follow" }),
    degraded: z.array(DegradedTierSchema).optional(),
  })
  .meta({ id: "MemoryListResponse" });
export type MemoryListResponse = z.infer<typeof MemoryListResponseSchema>;
