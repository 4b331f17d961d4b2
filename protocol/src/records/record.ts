import { z } from "zod";
import type { MemoryEntry, StoreEntry } from "../entry/index.js";
import {
  RECORD_KINDS,
  type RecordContent,
  type RecordKey,
  type RecordKind,
  type RecordMetadata,
} from "./record-kinds.js";

/** What makes a record: an entry whose metadata name its kind (clause REC-1). */
export interface MemoryRecord<Kind extends RecordKind> {
  readonly kind: Kind;
  readonly key: RecordKey<Kind>;
  readonly content: RecordContent<Kind>;
  readonly metadata: RecordMetadata<Kind>;
}

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

/** An entry as the record of a kind; undefined for one that is none, or not as chapter 7 has it. */
export function readRecord<Kind extends RecordKind>(
  entry: Pick<MemoryEntry, "key" | "content" | "metadata">,
  kind: Kind,
): MemoryRecord<Kind> | undefined {
  const { kind: named, ...metadata } = entry.metadata ?? {};
  if (named !== kind) return undefined;
  const schemas = RECORD_KINDS[kind];
  const parsed = z
    .object({ key: schemas.key, content: schemas.content, metadata: schemas.metadata })
    .safeParse({ key: entry.key, content: entry.content, metadata });
  return parsed.success ? ({ kind, ...parsed.data } as unknown as MemoryRecord<Kind>) : undefined;
}
