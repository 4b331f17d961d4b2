import { type MemoryTier, TIERS } from "@membus/protocol";
import { z } from "zod";

/** First and last line of an export are objects with this `format`. The lines between are entries. */
export const EXPORT_FORMAT = "membus-export";
const TRAILER_FORMAT = "membus-export-end";

/** Raised by every change that an earlier version would misread. */
const FORMAT_VERSION = 1;

const TierSchema = z.enum(TIERS);

const ManifestSchema = z.object({
  format: z.literal(EXPORT_FORMAT),
  format_version: z.literal(FORMAT_VERSION),
  /** Time of the start, ISO 8601. */
  time: z.string(),
  membus: z.string(),
  tenant: z.string(),
  agent: z.string(),
  /** Session of the entries of the working tier. */
  session: z.string(),
  /** The exported tiers. `embedder`: id of the embedder, null if there is none or the host does not report it. */
  tiers: z.partialRecord(TierSchema, z.object({ embedder: z.string().nullable() })),
  /** Criteria and namespace of a partial export. null: everything that the agent may read. */
  filters: z.record(z.string(), z.json()).nullable(),
  /** Tiers that the host serves and refused to list. */
  omitted: z.array(z.object({ tier: TierSchema, code: z.string(), message: z.string() })),
});
export type ExportManifest = z.infer<typeof ManifestSchema>;

const TrailerSchema = z.object({
  format: z.literal(TRAILER_FORMAT),
  entries: z.partialRecord(TierSchema, z.int().min(0)),
  /** SHA-256 of all bytes before the trailer, as 64 hex digits. */
  sha256: z.string(),
});
export type ExportTrailer = z.infer<typeof TrailerSchema>;

/** Number of entries by tier. */
export type TierCounts = Partial<Record<MemoryTier, number>>;

export function manifestLine(fields: Omit<ExportManifest, "format" | "format_version">): string {
  return `${JSON.stringify({ format: EXPORT_FORMAT, format_version: FORMAT_VERSION, ...fields })}\n`;
}

export function trailerLine(entries: TierCounts, sha256: string): string {
  return `${JSON.stringify({ format: TRAILER_FORMAT, entries, sha256 })}\n`;
}

/**
 * Returns the manifest in the first line of a file, undefined if the file has another format.
 * @throws {TypeError} for a manifest of another version, or an invalid one.
 */
export function readManifest(value: unknown): ExportManifest | undefined {
  const { format, format_version: version } = (value ?? {}) as { format?: unknown; format_version?: unknown };
  if (format !== EXPORT_FORMAT) return undefined;
  if (version !== FORMAT_VERSION) {
    throw new TypeError(
      `line 1: format version ${JSON.stringify(version)} is not supported, this membus reads version ${FORMAT_VERSION}`,
    );
  }
  const { data, error } = ManifestSchema.safeParse(value);
  if (data !== undefined) return data;
  const { path, message } = error.issues[0]!;
  throw new TypeError(`line 1: the manifest is invalid: ${path.join(".")}: ${message}`);
}

export function isTrailer(value: unknown): boolean {
  return (value as { format?: unknown } | null)?.format === TRAILER_FORMAT;
}

/** Returns undefined for an invalid trailer. */
export function readTrailer(value: unknown): ExportTrailer | undefined {
  return TrailerSchema.safeParse(value).data;
}
