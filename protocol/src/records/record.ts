import { z } from "zod";
import type { MemoryEntry, StoreEntry } from "../entry/index.js";
import { formatPath, isJsonObject } from "../json.js";
import {
  RECORD_KINDS,
  REPEATED_FIELDS,
  type RecordContent,
  type RecordKey,
  type RecordKind,
  type RecordMetadata,
} from "./record-kinds.js";
import { HeadSchema, isHead, PART_KIND, PartSchema } from "./split-schemas.js";

/** Record: an entry with its kind in the metadata (clause REC-1). */
export interface MemoryRecord<Kind extends RecordKind> {
  readonly kind: Kind;
  readonly key: RecordKey<Kind>;
  readonly content: RecordContent<Kind>;
  readonly metadata: RecordMetadata<Kind>;
}

type RecordFields = Pick<MemoryEntry, "key" | "content" | "metadata">;

/** Returns the entry fields of a record. Add other fields, such as tier, group, text and tags. */
export function recordEntry<Kind extends RecordKind>({
  kind,
  key,
  content,
  metadata,
}: MemoryRecord<Kind>): Pick<StoreEntry, "key" | "content" | "metadata"> {
  return { key, content, metadata: { kind, ...metadata } } as Pick<
    StoreEntry,
    "key" | "content" | "metadata"
  >;
}

export function isRecordKind(kind: unknown): kind is RecordKind {
  return typeof kind === "string" && Object.hasOwn(RECORD_KINDS, kind);
}

/** Schemas of the entries of each kind, the source of the JSON Schemas of records. */
export const RECORD_SCHEMAS = Object.fromEntries(
  Object.entries(RECORD_KINDS).map(([kind, { key, content, metadata }]) => [
    kind,
    z.looseObject({ key, content, metadata: metadata.extend({ kind: z.literal(kind) }) }),
  ]),
) as unknown as Readonly<Record<RecordKind, z.ZodType>>;

/**
 * Returns an entry as a record of a kind. Undefined if it has another kind, is invalid (chapter 7), or its
 * content is split into parts (see `joinRecord`).
 */
export function readRecord<Kind extends RecordKind>(
  entry: RecordFields,
  kind: Kind,
): MemoryRecord<Kind> | undefined {
  if (entry.metadata?.kind !== kind || isHead(entry) || recordProblem(entry) !== undefined) return undefined;
  const { key, content, metadata } = structuredClone(entry);
  const { kind: _, ...others } = metadata!;
  return { kind, key, content, metadata: others } as unknown as MemoryRecord<Kind>;
}

/**
 * Returns the first reason why an entry is invalid for its kind, with the path of the field (clauses REC-1,
 * REC-3 and REC-11). Undefined for a valid record, a valid part or head, and an entry of another or no kind
 * (clause REC-5).
 */
export function recordProblem(
  entry: RecordFields,
): { readonly path: string; readonly message: string } | undefined {
  const kind = entry.metadata?.kind;
  if (kind === PART_KIND) return schemaProblem(PartSchema, entry);
  if (!isRecordKind(kind)) return undefined;
  if (!isHead(entry)) return schemaProblem(RECORD_SCHEMAS[kind], entry) ?? repeatedFieldProblem(kind, entry);
  const { key, metadata } = RECORD_KINDS[kind];
  const ownFields = z.looseObject({ key, metadata });
  return (
    schemaProblem(HeadSchema, entry) ?? schemaProblem(ownFields, entry) ?? repeatedFieldProblem(kind, entry)
  );
}

function schemaProblem(schema: z.ZodType, entry: RecordFields) {
  const issue = schema.safeParse(entry).error?.issues[0];
  if (issue === undefined) return undefined;
  const path = issue.path as (string | number)[];
  if (issue.code !== "unrecognized_keys") return { path: formatPath(path), message: issue.message };
  return { path: formatPath([...path, issue.keys[0]!]), message: "is an unknown field" };
}

function repeatedFieldProblem(kind: RecordKind, entry: RecordFields) {
  for (const [name, [part, field]] of Object.entries(REPEATED_FIELDS[kind] ?? {})) {
    if (part === "content" && isHead(entry)) continue;
    const expected = (isJsonObject(entry[part]) ? entry[part] : {})[field];
    if (entry.metadata?.[name] !== expected) {
      return { path: `metadata.${name}`, message: `must be equal to ${part}.${field}` };
    }
  }
  return undefined;
}
