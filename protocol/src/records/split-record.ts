import { hash, randomUUID } from "node:crypto";
import { checkEntrySize, readJson, writeJson } from "../codec/index.js";
import { deriveText, keyHash, type MemoryEntry } from "../entry/index.js";
import type { Json } from "../json.js";
import { LIMITS } from "../limits.js";
import { isMemoryError, MemoryError } from "../memory-error.js";
import type { MemoryStoreRequest } from "../messages/index.js";
import { HeadSchema, isHead, PART_KIND, PartSchema, type Parts } from "./split-form.js";

/** Bytes of the content in one part: as base64, and with what else a part has, less than an entry may have. */
const PART_BYTES = 180_000;

type EntryInput = MemoryStoreRequest["entries"][number];
type Recorded = Pick<MemoryEntry, "key" | "content" | "metadata">;

export interface SplitOptions {
  /**
   * Whether parts name their head, so that a forget with `cascade` of it takes them (clause REC-15). A tier that does not
   * declare the feature refuses them.
   * @default false
   */
  readonly sources?: boolean | undefined;
  /**
   * Which write of the record the parts are from, 1 to 64 characters: another each time where others may replace the record
   * (clause REC-14).
   * @default the SHA-256 of the content
   */
  readonly write?: string | undefined;
}

/**
 * The entries to store for one that may be larger than an entry can be: itself where it is not, else its parts and,
 * last, its head (clause REC-11). Store them in this order (clause REC-12). A part
 * is of no word or meaning, and ends with its head; a head without a `text` gets the one that the content has.
 * @throws {MemoryError} `too_large` for more than 999 parts, which is 180 MB.
 */
export function splitRecord(
  entry: EntryInput,
  { sources = false, write = randomUUID() }: SplitOptions = {},
): EntryInput[] {
  if (!isTooLarge(entry)) return [entry];
  const { content, metadata, text, tier, group, occurred_at, ttl, expires_at } = entry;
  const bytes = Buffer.from(writeJson(content));
  const count = Math.ceil(bytes.length / PART_BYTES);
  const parts = { count, bytes: bytes.length, sha256: sha256(bytes), write };
  if (parts.count >= LIMITS.storeEntries) {
    const detail = { limit: "storeEntries", max: LIMITS.storeEntries, got: parts.count + 1 };
    throw new MemoryError(
      "too_large",
      `a record of ${bytes.length} bytes is more than a store holds`,
      detail,
    );
  }
  const lineage = sources ? { sources: [keyHash(entry.key)] } : {};
  const shared = { ...withoutUndefined({ tier, group, occurred_at, ttl, expires_at }), ...lineage };
  const pieces = keysOf(entry.key, parts).map((key, at): EntryInput => {
    const piece = bytes.subarray(at * PART_BYTES, (at + 1) * PART_BYTES);
    const content = { base64: piece.toString("base64") };
    return { ...shared, key, content, metadata: { kind: PART_KIND }, text: "" };
  });
  const ofHead = { content: { parts }, metadata: { ...metadata, parts: parts.count } };
  return [...pieces, { ...entry, ...ofHead, text: text ?? deriveText(content) }];
}

/** The keys of the parts of a head, in order; none of another entry, or of a head that is not as it must be. */
export function partKeys(entry: Recorded): { readonly [name: string]: Json }[] {
  const parts = partsOf(entry);
  return parts === undefined ? [] : keysOf(entry.key, parts);
}

/**
 * A head with the content that its parts hold, as it was before it was split; another entry as it is. Undefined where a
 * part is missing or is not as it was (clause REC-13). The parts may come in any order, and among other entries.
 */
export function joinRecord<Entry extends Recorded>(
  entry: Entry,
  parts: readonly Recorded[],
): Entry | undefined {
  if (!isHead(entry)) return entry;
  const whole = partsOf(entry);
  if (whole === undefined) return undefined;
  const pieces = new Map<string, Buffer>();
  for (const part of parts) {
    const parsed = PartSchema.safeParse(part);
    if (parsed.success) pieces.set(keyHash(part.key), Buffer.from(parsed.data.content.base64, "base64"));
  }
  const bytes = Buffer.concat(keysOf(entry.key, whole).flatMap((key) => pieces.get(keyHash(key)) ?? []));
  if (bytes.length !== whole.bytes || sha256(bytes) !== whole.sha256) return undefined;
  const { parts: _, ...metadata } = entry.metadata!;
  return { ...entry, content: readJson(bytes.toString("utf8")) as Json, metadata };
}

function partsOf(entry: Recorded): Parts | undefined {
  return isHead(entry) ? HeadSchema.safeParse(entry).data?.content.parts : undefined;
}

/** Of the write, too: parts of what a record held before do not fit what it holds now. */
function keysOf(key: EntryInput["key"], { count, write }: Parts) {
  const head = keyHash(key);
  return Array.from({ length: count }, (_, at) => ({ head, write, part: at + 1 }));
}

function isTooLarge(entry: EntryInput): boolean {
  try {
    checkEntrySize(entry, Number.POSITIVE_INFINITY);
    return false;
  } catch (error) {
    if (isMemoryError(error) && error.code === "too_large") return true;
    throw error;
  }
}

function sha256(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
