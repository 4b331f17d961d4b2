import type { EntryInput } from "@membus/agent-client";
import {
  isJsonObject,
  type Json,
  LIMITS,
  type MemoryEntry,
  type MemoryTier,
  type RecordContent,
  readRecord,
  recordEntry,
} from "@membus/protocol";

/** A named text, or another JSON value, that is always in the prompt. */
export interface Block {
  readonly label: string;
  readonly value: Json;
  /** What it is for, for the model. */
  readonly description: string;
  /** Characters (Unicode code points) that the value may have; one that is no text, as compact JSON. */
  readonly limit: number;
  /** No edit but that of its settings is allowed. */
  readonly readOnly: boolean;
  /** JSON Schema of the value; undefined: any text. */
  readonly schema: object | undefined;
  /** What `ifRevision` names. */
  readonly revision: number;
  /** Values that `undo` can go back to. */
  readonly undoCount: number;
  /** Values that `redo` can go forward to. */
  readonly redoCount: number;
}

/**
 * A block as it is kept. `version` counts its values, undone ones too, and never goes back: an earlier value is a record of
 * its own under `id` and version, and `past` and `future` say which of them undo and redo lead to, the nearest last and
 * first. A block that is being renamed has `movedTo`.
 */
export interface StoredBlock {
  readonly id: string;
  readonly label: string;
  readonly value: Json;
  readonly description: string;
  readonly limit: number;
  readonly readOnly: boolean;
  readonly schema: object | undefined;
  readonly version: number;
  readonly past: readonly number[];
  readonly future: readonly number[];
  readonly movedTo: string | undefined;
  readonly revision: number;
}

/** The kind of an earlier value. Readers of blocks alone do not see them. */
const REVISION_KIND = "block_revision";

/** Of a record that others may have written: what is not there, or is no such thing, is as in a new block. */
export function readBlock(entry: MemoryEntry): StoredBlock | undefined {
  const record = readRecord(entry, "block");
  if (record === undefined) return undefined;
  const { value, description, limit, read_only, version, past, future, schema } = record.content;
  const { label, block, moved_to } = record.metadata;
  return {
    id: typeof block === "string" ? block : label,
    label,
    value,
    description,
    limit,
    readOnly: read_only,
    schema: isJsonObject(schema) ? schema : undefined,
    version: Number.isSafeInteger(version) ? (version as number) : 0,
    past: versionsOf(past),
    future: versionsOf(future),
    movedTo: typeof moved_to === "string" ? moved_to : undefined,
    revision: entry.revision,
  };
}

function versionsOf(list: unknown): number[] {
  return Array.isArray(list) ? list.filter((item): item is number => Number.isSafeInteger(item)) : [];
}

export function blockEntry(block: Omit<StoredBlock, "revision">, tier: MemoryTier): EntryInput {
  const { id, label, value, description, limit, readOnly, schema, version, past, future, movedTo } = block;
  const content = {
    value,
    description,
    limit,
    read_only: readOnly,
    version,
    past: [...past],
    future: [...future],
    ...(schema !== undefined && { schema }),
  } as RecordContent<"block">;
  const metadata = { label, block: id, ...(movedTo !== undefined && { moved_to: movedTo }) };
  return {
    ...recordEntry({ kind: "block", key: { block: label }, content, metadata }),
    tier,
    group: "blocks",
    text: `${description}\n${valueText(value)}`.slice(0, LIMITS.derivedTextLength),
  };
}

/** The value that the block has now, for when it has another one. */
export function revisionEntry({ id, version, value }: StoredBlock, tier: MemoryTier): EntryInput {
  return {
    key: revisionKey(id, version),
    content: { value },
    metadata: { kind: REVISION_KIND, block: id },
    tier,
    group: "blocks",
    // Nobody looks for what a block said once.
    text: "",
  };
}

export function revisionKey(id: string, version: number) {
  return { block_revision: id, version };
}

/** A value as one reads it. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

export function publicBlock(stored: StoredBlock): Block {
  const { label, value, description, limit, readOnly, schema, revision, past, future } = stored;
  const counts = { undoCount: past.length, redoCount: future.length };
  return { label, value, description, limit, readOnly, schema, revision, ...counts };
}
