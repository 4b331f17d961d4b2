import type { EntryInput } from "@membus/agent-client";
import { isJsonObject, type Json, type MemoryEntry, type MemoryTier } from "@membus/protocol";
import { type RecordContent, readRecord, recordEntry } from "@membus/protocol/records";

/** A named text, or another JSON value, that is always in the prompt. */
export interface Block {
  readonly label: string;
  readonly value: Json;
  /** Purpose of the block, for the model. */
  readonly description: string;
  /**
   * Maximum length of the value in characters (Unicode code points). A JSON value is measured as compact
   * JSON.
   */
  readonly limit: number;
  /** True if only `configure` may change the block. */
  readonly readOnly: boolean;
  /** JSON Schema of the value. undefined: any text. */
  readonly schema: object | undefined;
  /** Revision for `ifRevision`. */
  readonly revision: number;
  /** Number of values that `undo` can go back to. */
  readonly undoCount: number;
  /** Number of values that `redo` can go forward to. */
  readonly redoCount: number;
}

/**
 * A block as it is stored. `version` counts its values, including undone ones, and never decreases. An
 * earlier value is a separate record under `id` and version. `past` and `future` list the versions that undo
 * and redo lead to: the nearest is the last of `past` and the first of `future`. A block with an incomplete rename has `movedTo`.
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

/** Kind of an earlier value. Readers that select blocks do not get them. */
/** Limit of the searched text of a block in UTF-16 units. Its values need the rest of the entry. */
const INDEXED_LENGTH_MAX = 8_192;
const REVISION_KIND = "block_revision";

/**
 * Reads a block. Another program may have written the record: missing and invalid fields get the values of a
 * new block.
 */
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
    text: `${description}\n${valueText(value)}`.slice(0, INDEXED_LENGTH_MAX),
  };
}

/** Returns the entry that keeps the current value of a block as an earlier value. */
export function revisionEntry({ id, version, value }: StoredBlock, tier: MemoryTier): EntryInput {
  return {
    key: revisionKey(id, version),
    content: { value },
    metadata: { kind: REVISION_KIND, block: id },
    tier,
    // Earlier values need not be found by search.
    text: "",
  };
}

export function revisionKey(id: string, version: number) {
  return { block_revision: id, version };
}

/** Returns a value as readable text. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

export function publicBlock(stored: StoredBlock): Block {
  const { label, value, description, limit, readOnly, schema, revision, past, future } = stored;
  const counts = { undoCount: past.length, redoCount: future.length };
  return { label, value, description, limit, readOnly, schema, revision, ...counts };
}
