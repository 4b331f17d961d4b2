import { hash, randomUUID } from "node:crypto";
import { checkEntrySize, readJson, writeJson } from "../codec/index.js";
import { deriveText, keyHash, type MemoryEntry } from "../entry/index.js";
import type { Json } from "../json.js";
import { LIMITS } from "../limits.js";
import { isMemoryError, MemoryError } from "../memory-error.js";
import type { MemoryStoreRequest } from "../messages/index.js";
import { HeadSchema, isHead, PART_KIND, PartSchema, type Parts } from "./split-schemas.js";

/** Content bytes in one part. Encoded as base64 with its other fields, a part stays below the entry limit. */
const PART_BYTES = 180_000;

/** Limit of the text of a head in bytes of JSON. Its entry then has space for the other fields. */
const HEAD_TEXT_BYTES = 128 * 1024;
/** Length of the text of a head above that limit. A character takes at most six bytes. */
const HEAD_TEXT_LENGTH = 16_384;

type EntryInput = MemoryStoreRequest["entries"][number];
type RecordFields = Pick<MemoryEntry, "key" | "content" | "metadata">;

export interface SplitOptions {
  /**
   * Adds the head to the `sources` of the parts, so that a forget with `cascade` of the head also deletes
   * them (clause REC-15). A tier that does not declare the feature refuses `sources`.
   * @default false
   */
  readonly sources?: boolean | undefined;
  /**
   * Id of the write, 1 to 64 characters. Use a new id for each write if other writers may replace the record
   * (clause REC-14).
   * @default a random UUID
   */
  readonly write?: string | undefined;
}

/**
 * Returns the entries to store for an entry of any size: the entry itself if it fits, else its parts and then
 * its head (clause REC-11). Store them in this order (clause REC-12). Parts have no text or vector and expire
 * with their head. A head without `text` gets the text derived from the content. If the
 * text takes more than 128 KiB as JSON, only its first 16,384 UTF-16 units are kept.
 *
 * @throws {MemoryError} `too_large` for more than 999 parts (180 MB).
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
      `record too large: ${bytes.length} bytes need ${count} parts, limit ${LIMITS.storeEntries - 1}`,
      detail,
    );
  }
  const sourceFields = sources ? { sources: [keyHash(entry.key)] } : {};
  const shared = { ...withoutUndefined({ tier, group, occurred_at, ttl, expires_at }), ...sourceFields };
  const pieces = keysOfParts(entry.key, parts).map((key, at): EntryInput => {
    const piece = bytes.subarray(at * PART_BYTES, (at + 1) * PART_BYTES);
    const content = { base64: piece.toString("base64") };
    return { ...shared, key, content, metadata: { kind: PART_KIND }, text: "" };
  });
  const headFields = { content: { parts }, metadata: { ...metadata, parts: parts.count } };
  return [...pieces, { ...entry, ...headFields, text: headText(text ?? deriveText(content)) }];
}

/** Returns the text of a head. A text that would make the head too large is cut. */
function headText(text: string): string {
  if (Buffer.byteLength(writeJson(text)) <= HEAD_TEXT_BYTES) return text;
  return text.slice(0, HEAD_TEXT_LENGTH).toWellFormed();
}

/** Returns the keys of the parts of a head, in order. Empty for another entry or an invalid head. */
export function partKeys(entry: RecordFields): { readonly [name: string]: Json }[] {
  const parts = headParts(entry);
  return parts === undefined ? [] : keysOfParts(entry.key, parts);
}

/**
 * Restores the original entry from a head and its parts. Returns other entries unchanged. Undefined if a part
 * is missing or differs (clause REC-13). The parts may be in any order, and among other entries.
 */
export function joinRecord<Entry extends RecordFields>(
  entry: Entry,
  parts: readonly RecordFields[],
): Entry | undefined {
  if (!isHead(entry)) return entry;
  const whole = headParts(entry);
  if (whole === undefined) return undefined;
  const pieces = new Map<string, Buffer>();
  for (const part of parts) {
    const parsed = PartSchema.safeParse(part);
    if (parsed.success) pieces.set(keyHash(part.key), Buffer.from(parsed.data.content.base64, "base64"));
  }
  const bytes = Buffer.concat(keysOfParts(entry.key, whole).flatMap((key) => pieces.get(keyHash(key)) ?? []));
  if (bytes.length !== whole.bytes || sha256(bytes) !== whole.sha256) return undefined;
  const { parts: _, ...metadata } = entry.metadata!;
  return { ...entry, content: readJson(bytes.toString("utf8")) as Json, metadata };
}

function headParts(entry: RecordFields): Parts | undefined {
  return isHead(entry) ? HeadSchema.safeParse(entry).data?.content.parts : undefined;
}

/** Returns keys that include the write, because parts of an earlier write do not fit the current content. */
function keysOfParts(key: EntryInput["key"], { count, write }: Parts) {
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
