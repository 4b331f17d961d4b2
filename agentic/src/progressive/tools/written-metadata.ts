import type { MetadataValue } from "@membus/protocol";
import { RECORD_KINDS, type RecordKind } from "@membus/protocol/records";
import { z } from "zod";
import { RESERVED_METADATA } from "../memory-record.js";

const VALUE_LENGTH_MAX = 4_096;

/** Metadata that a model may add to a record, with the limits of an entry. */
export const WrittenMetadataSchema = z
  .record(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    z.union([
      z.string().max(VALUE_LENGTH_MAX),
      z.number().min(-1e15).max(1e15),
      z.boolean(),
      z.array(z.string().max(VALUE_LENGTH_MAX)).max(100),
    ]),
  )
  .refine((metadata) => Object.keys(metadata).length <= 32, "must have at most 32 fields")
  .describe("Additional data as flat fields.");

export type WrittenMetadata = Readonly<Record<string, MetadataValue>>;

/** Returns why a model's metadata is invalid for a record of this kind. undefined if it is valid. */
export function metadataProblem(kind: RecordKind, metadata: WrittenMetadata = {}): string | undefined {
  const reserved = Object.keys(metadata).find((name) => RESERVED_METADATA.includes(name));
  if (reserved !== undefined) return `metadata.${reserved} is reserved. Leave it out`;
  const shape = RECORD_KINDS[kind].metadata.shape as Readonly<Record<string, z.ZodType>>;
  for (const [name, value] of Object.entries(metadata)) {
    const parsed = shape[name]?.safeParse(value);
    if (parsed?.success === false) return `metadata.${name}: ${parsed.error.issues[0]?.message}`;
  }
  return undefined;
}
