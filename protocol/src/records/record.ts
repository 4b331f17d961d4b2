import { z } from "zod";
import type { MemoryEntry, StoreEntry } from "../entry/index.js";
import { formatPath, isJsonObject } from "../json.js";
import {
  RECORD_KINDS,
  REPEATED,
  type RecordContent,
  type RecordKey,
  type RecordKind,
  type RecordMetadata,
} from "./record-kinds.js";
import { HeadSchema, isHead, PART_KIND, PartSchema } from "./split-form.js";

/** What makes a record: an entry whose metadata name its kind (clause REC-1). */
export interface MemoryRecord<Kind extends RecordKind> {
  readonly kind: Kind;
  readonly key: RecordKey<Kind>;
  readonly content: RecordContent<Kind>;
  readonly metadata: RecordMetadata<Kind>;
}

type Recorded = Pick<MemoryEntry, "key" | "content" | "metadata">;

/** The fields of an entry that a record sets; what else an entry may have (tier, group, text, tags) is added to them. */
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

/** An entry of each kind: what the JSON Schemas of records describe. */
export const RECORD_SCHEMAS = Object.fromEntries(
  Object.entries(RECORD_KINDS).map(([kind, { key, content, metadata }]) => [
    kind,
    z.looseObject({ key, content, metadata: metadata.extend({ kind: z.literal(kind) }) }),
  ]),
) as unknown as Readonly<Record<RecordKind, z.ZodType>>;

/**
 * An entry as the record of a kind; undefined for one that is none, or not as chapter 7 has it, or of which the content
 * is in parts (`joinRecord` puts it together).
 */
export function readRecord<Kind extends RecordKind>(
  entry: Recorded,
  kind: Kind,
): MemoryRecord<Kind> | undefined {
  if (entry.metadata?.kind !== kind || isHead(entry) || recordProblem(entry) !== undefined) return undefined;
  const { key, content, metadata } = structuredClone(entry);
  const { kind: _, ...others } = metadata!;
  return { kind, key, content, metadata: others } as unknown as MemoryRecord<Kind>;
}

/**
 * Why an entry is not what its kind says (clauses REC-1, REC-3 and REC-11), with the path of the field: the first reason
 * found. Undefined for one that is, for a part and the head of parts that are as they must be, and for an entry of
 * another kind or none, which is an entry like others (clause REC-5).
 */
export function recordProblem(
  entry: Recorded,
): { readonly path: string; readonly message: string } | undefined {
  const kind = entry.metadata?.kind;
  if (kind === PART_KIND) return problemOf(PartSchema, entry);
  if (!isRecordKind(kind)) return undefined;
  if (!isHead(entry)) return problemOf(RECORD_SCHEMAS[kind], entry) ?? repetitionProblem(kind, entry);
  const { key, metadata } = RECORD_KINDS[kind];
  const ownFields = z.looseObject({ key, metadata });
  return problemOf(HeadSchema, entry) ?? problemOf(ownFields, entry) ?? repetitionProblem(kind, entry);
}

function problemOf(schema: z.ZodType, entry: Recorded) {
  const issue = schema.safeParse(entry).error?.issues[0];
  if (issue === undefined) return undefined;
  const path = issue.path as (string | number)[];
  if (issue.code !== "unrecognized_keys") return { path: formatPath(path), message: issue.message };
  return { path: formatPath([...path, issue.keys[0]!]), message: "is no field of it" };
}

function repetitionProblem(kind: RecordKind, entry: Recorded) {
  for (const [name, [part, field]] of Object.entries(REPEATED[kind] ?? {})) {
    if (part === "content" && isHead(entry)) continue;
    const said = (isJsonObject(entry[part]) ? entry[part] : {})[field];
    if (entry.metadata?.[name] !== said) {
      return { path: `metadata.${name}`, message: `is not what ${part}.${field} says` };
    }
  }
  return undefined;
}
