import { z } from "zod";
import { HashSchema, type MemoryEntry } from "../entry/index.js";
import { LIMITS } from "../limits.js";

/** `metadata.kind` of a part. Parts are not records, and readers skip them. */
export const PART_KIND = "part";

/** Maximum number of parts. Parts and head are stored in one request. */
const PARTS_MAX = LIMITS.storeEntries - 1;

/**
 * Id of the write that a part belongs to. Forgetting the parts of one write does not affect the parts of another write.
 */
const WriteSchema = z.string().min(1).max(64).meta({ description: "id of the write of the record" });

/** Content of a head, in place of the record's content (clause REC-11). */
const PartsSchema = z.looseObject({
  count: z.int().min(1).max(PARTS_MAX),
  bytes: z
    .int()
    .min(1)
    .meta({ description: "size of the content as JSON in UTF-8, which the parts contain in order" }),
  sha256: HashSchema.meta({ description: "SHA-256 of the content bytes" }),
  write: WriteSchema,
});
export type Parts = z.infer<typeof PartsSchema>;

/** Head of a record with split content. Key and other metadata are the record's own. */
export const HeadSchema = z
  .looseObject({
    content: z.looseObject({ parts: PartsSchema }),
    metadata: z.looseObject({ parts: z.int().min(1).max(PARTS_MAX) }),
  })
  .refine(({ content, metadata }) => content.parts.count === metadata.parts, {
    error: "must be equal to content.parts.count",
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

/**
 * Returns whether the content of a record is split into parts. False for an update that replaced a head but
 * kept its metadata (clause UPD-2).
 */
export function isHead({ content, metadata }: Pick<MemoryEntry, "content" | "metadata">): boolean {
  const { parts } = (content ?? {}) as { readonly parts?: unknown };
  return metadata?.parts !== undefined && typeof parts === "object" && parts !== null;
}
