import { randomUUID } from "node:crypto";
import type { EntryInput } from "@membus/agent-client";
import {
  checkEntrySize,
  isHead,
  keyHash,
  type MemoryEntry,
  type MemoryKey,
  partKeys,
  splitRecord,
} from "@membus/protocol";

/**
 * In the metadata of a head and of its parts: which write they come from. Whoever forgets parts names the writes that it
 * means: others, whose heads are about to be stored, may send the same parts meanwhile.
 */
export const WRITE_FIELD = "part_write";

/** What is to be written for a record: its parts, where it has some, and then itself, or the head of them. */
export interface RecordPlan {
  readonly parts: readonly EntryInput[];
  /**
   * False where the parts need not be sent: the head that is there has the same, or is not the one that the condition
   * names.
   */
  readonly isSent: boolean;
  readonly entry: EntryInput;
  /** What is there now, where that is a head. */
  readonly old: MemoryEntry | undefined;
}

/** @throws {MemoryError} `too_large` for a record of more than 180 MB, or one that is too large without its content. */
export function splitInto(input: EntryInput): EntryInput[] {
  const entries = splitRecord(input, { sources: true });
  if (entries.length > 1) checkEntrySize(entries.at(-1), Number.POSITIVE_INFINITY);
  return entries;
}

/** `split` is what `splitInto` has made of a record. */
export function planRecord(split: readonly EntryInput[], old: MemoryEntry | undefined): RecordPlan {
  const [parts, entry] = [split.slice(0, -1), split.at(-1)!];
  const condition = entry.if_revision ?? undefined;
  if (parts.length === 0) return { parts, isSent: false, entry, old };
  const isExpected = condition === old?.revision;
  const isThere = old !== undefined && isExpected && keyHash(parts[0]!.key) === partHashes(old)[0];
  const write = isThere ? writeOf(old) : randomUUID();
  const isSent = old === undefined || condition === undefined || (isExpected && !isThere);
  return { parts: parts.map((part) => ofWrite(part, write)), isSent, entry: ofWrite(entry, write), old };
}

/** Of two heads under one key. */
export function hasSameParts(head: Recorded, other: Recorded): boolean {
  return partHashes(head)[0] === partHashes(other)[0];
}

interface Recorded {
  readonly key: unknown;
  readonly content?: unknown;
  readonly metadata?: unknown;
}

export function partHashes(head: Recorded): string[] {
  return partKeys(head as MemoryEntry).map((key) => keyHash(key as MemoryKey));
}

export function writeOf({ metadata }: Pick<MemoryEntry, "metadata">): string | undefined {
  const write = metadata?.[WRITE_FIELD];
  return typeof write === "string" ? write : undefined;
}

/** A record as it was before it was split, without what only its parts are told apart by. */
export function withoutWrite(entry: MemoryEntry): MemoryEntry {
  if (isHead(entry) || writeOf(entry) === undefined) return entry;
  const { [WRITE_FIELD]: _, ...metadata } = entry.metadata!;
  return { ...entry, metadata };
}

function ofWrite(entry: EntryInput, write: string | undefined): EntryInput {
  return write === undefined ? entry : { ...entry, metadata: { ...entry.metadata, [WRITE_FIELD]: write } };
}
