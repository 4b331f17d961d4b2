import { z } from "zod";
import { HashSchema, type MemoryEntry } from "../entry/index.js";
import { LIMITS } from "../limits.js";

/** `metadata.kind` of a part. It is no kind of record: readers skip parts. */
export const PART_KIND = "part";

/** Parts and head are stored together. */
const PARTS_MAX = LIMITS.storeEntries - 1;

/** Which write of its record a part is from: what one stores no other forgets with its own. */
const WriteSchema = z.string().min(1).max(64).meta({ description: "which write of the record" });

/** What stands in a head in place of the content (clause REC-11). */
const PartsSchema = z.looseObject({
  count: z.int().min(1).max(PARTS_MAX),
  bytes: z
    .int()
    .min(1)
    .meta({ description: "of the content as JSON in UTF-8, which the parts hold in order" }),
  sha256: HashSchema.meta({ description: "of those bytes" }),
  write: WriteSchema,
});
export type Parts = z.infer<typeof PartsSchema>;

/** A record of which the content is in parts; key and other metadata are those of its kind. */
export const HeadSchema = z
  .looseObject({
    content: z.looseObject({ parts: PartsSchema }),
    metadata: z.looseObject({ parts: z.int().min(1).max(PARTS_MAX) }),
  })
  .refine(({ content, metadata }) => content.parts.count === metadata.parts, {
    error: "is not what content.parts.count says",
    path: ["metadata", "parts"],
  });

export const PartSchema = z.looseObject({
  key: z.strictObject({
    head: HashSchema.meta({ description: "key hash of the head" }),
    write: WriteSchema,
    part: z.int().min(1).max(PARTS_MAX),
  }),
  content: z.looseObject({
    base64: z
      .string()
      .min(4)
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, "must be base64"),
  }),
  metadata: z.looseObject({ kind: z.literal(PART_KIND) }),
});

/** Whether the content of a record is in parts: not of one that has replaced a head and kept its metadata (clause UPD-2). */
export function isHead({ content, metadata }: Pick<MemoryEntry, "content" | "metadata">): boolean {
  const { parts } = (content ?? {}) as { readonly parts?: unknown };
  return metadata?.parts !== undefined && typeof parts === "object" && parts !== null;
}
