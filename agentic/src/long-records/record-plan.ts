import { randomUUID } from "node:crypto";
import type { EntryInput } from "@membus/agent-client";
import {
  checkEntrySize,
  HeadSchema,
  isHead,
  keyHash,
  type MemoryEntry,
  type MemoryKey,
  partKeys,
  splitRecord,
} from "@membus/protocol";

/** What is to be written for a record: its parts, where it has some, and then itself, or the head of them. */
export interface RecordPlan {
  readonly parts: readonly EntryInput[];
  /**
   * False where the parts need not be sent: the head that is there has the same, or is not the one that the condition
   * names.
   */
  readonly isSent: boolean;
  readonly entry: EntryInput;
  /** Whether the caller has no condition: the entry has one all the same, so that it is known what it replaces. */
  readonly isUnconditional: boolean;
  /** The head that is replaced, where there is one. */
  readonly old: MemoryEntry | undefined;
}

/** Entries of a record: itself, or its parts and head. */
export type SplitRecord = readonly EntryInput[];

/** @throws {MemoryError} `too_large` for a record of more than 180 MB, or one that is too large without its content. */
export function splitInto(input: EntryInput, write: string = randomUUID()): SplitRecord {
  const entries = splitRecord(input, { sources: true, write });
  if (entries.length > 1) checkEntrySize(entries.at(-1), Number.POSITIVE_INFINITY);
  return entries;
}

/** `split` is what `splitInto` has made of `input`, `current` what is under its key now. */
export function planRecord(
  input: EntryInput,
  split: SplitRecord,
  current: MemoryEntry | undefined,
): RecordPlan {
  const old = current !== undefined && isHead(current) ? current : undefined;
  const isUnconditional = input.if_revision == null;
  const revision = current?.revision ?? 0;
  const isExpected = isUnconditional || input.if_revision === revision;
  const kept = old !== undefined && isExpected ? keptWrite(old, split) : undefined;
  const entries = kept === undefined ? split : splitInto(input, kept);
  const [parts, entry] = [entries.slice(0, -1), entries.at(-1)!];
  const isSent = parts.length > 0 && isExpected && kept === undefined;
  const isConditioned = parts.length > 0 || old !== undefined;
  const plan = { parts, isSent, isUnconditional, old };
  return { ...plan, entry: isUnconditional && isConditioned ? { ...entry, if_revision: revision } : entry };
}

/** The write of which the parts are there already, where they hold the same and none has an end. */
function keptWrite(old: MemoryEntry, split: SplitRecord): string | undefined {
  const head = split.at(-1)!;
  const [there, wanted] = [partsOf(old), partsOf(head)];
  const hasEnd = [old, head].some(({ ttl, expires_at }) => ttl != null || expires_at != null);
  return !hasEnd && there?.sha256 === wanted?.sha256 ? there?.write : undefined;
}

function partsOf(head: Pick<EntryInput, "content" | "metadata">) {
  return HeadSchema.safeParse(head).data?.content.parts;
}

/** Whether two heads under one key are of one write. */
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
