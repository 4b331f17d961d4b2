import { type MetadataValue, RECORD_KINDS, type RecordKind } from "@membus/protocol";
import { z } from "zod";
import { RESERVED_METADATA } from "../memory-record.js";

const VALUE_LENGTH_MAX = 4_096;

/** What a model may add to a record: as metadata of an entry are. */
export const WrittenMetadataSchema = z
  .record(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    z.union([
      z.string().max(VALUE_LENGTH_MAX),
      z.number(),
      z.boolean(),
      z.array(z.string().max(VALUE_LENGTH_MAX)).max(100),
    ]),
  )
  .refine((metadata) => Object.keys(metadata).length <= 32, "has at most 32 fields")
  .describe("Anything else worth keeping beside the text, as flat fields.");

export type WrittenMetadata = Readonly<Record<string, MetadataValue>>;

/** Why a model's metadata cannot stand in a record of this kind; undefined if they can. */
export function metadataProblem(kind: RecordKind, metadata: WrittenMetadata = {}): string | undefined {
  const reserved = Object.keys(metadata).find((name) => RESERVED_METADATA.includes(name));
  if (reserved !== undefined) return `metadata.${reserved} is set by the system: leave it out`;
  const shape = RECORD_KINDS[kind].metadata.shape as Readonly<Record<string, z.ZodType>>;
  for (const [name, value] of Object.entries(metadata)) {
    const parsed = shape[name]?.safeParse(value);
    if (parsed?.success === false) return `metadata.${name}: ${parsed.error.issues[0]?.message}`;
  }
  return undefined;
}
