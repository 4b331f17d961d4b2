import type { EntryInput } from "@membus/agent-client";
import { checkEntrySize, keyHash, type MemoryEntry, type MemoryKey } from "@membus/protocol";
import { HeadSchema, isHead, partKeys, splitRecord } from "@membus/protocol/records";

/** A record to store. */
export interface Draft {
  /** Index in the call. */
  readonly index: number;
  readonly input: EntryInput;
  /** Parts of this write. */
  readonly parts: readonly EntryInput[];
  /** The record itself, or the head of its parts. */
  readonly entry: EntryInput;
  /** Whether an earlier attempt has stored the parts. */
  readonly isSent: boolean;
}

/** How a draft is stored over the existing entry. */
export interface RecordPlan extends Draft {
  readonly draft: Draft;
  /**
   * True if the condition of the entry was added here, not by the caller. The replaced entry is then known.
   */
  readonly hasAddedCondition: boolean;
  /** The head that is replaced, if any. */
  readonly old: MemoryEntry | undefined;
}

/**
 * @throws {MemoryError} `too_large` for a record over 180 MB, or one that is too large without its content.
 */
export function draftOf(input: EntryInput, index: number): Draft {
  const split = splitRecord(input, { sources: true });
  const [parts, entry] = [split.slice(0, -1), split.at(-1)!];
  if (parts.length > 0) checkEntrySize(entry, Number.POSITIVE_INFINITY);
  return { index, input, parts, entry, isSent: false };
}

/**
 * Plans a store over `current`, the entry under the key. `isSent` of the plan is true if its parts must be
 * stored. They are not needed if the condition fails or the existing head has the same parts.
 */
export function planRecord(draft: Draft, current: MemoryEntry | undefined): RecordPlan {
  const old = current !== undefined && isHead(current) ? current : undefined;
  const [condition, revision] = [draft.input.if_revision ?? undefined, current?.revision ?? 0];
  const filled = withMetadataOf(withGroupAndTimeOf(draft, current), current);
  const common = { draft, old, hasAddedCondition: condition === undefined };
  const entry = common.hasAddedCondition ? { ...filled.entry, if_revision: revision } : filled.entry;
  const plan = { ...filled, ...common, entry };
  if (draft.isSent || draft.parts.length === 0) return plan;
  if (condition !== undefined && condition !== revision) return plan;
  const kept = old && reusableWrite(filled.entry, old);
  return kept === undefined ? { ...plan, isSent: true } : { ...plan, ...ofWrite(plan, kept) };
}

/** Returns the draft for the next attempt. */
export function nextDraft({ draft, parts, entry: { group, occurred_at }, isSent }: RecordPlan): Draft {
  return isSent ? { ...draft, parts, entry: { ...draft.entry, group, occurred_at }, isSent } : draft;
}

/**
 * Copies the existing metadata, because a store without metadata leaves it unchanged (clause UPD-2), except
 * for the part count.
 */
function withMetadataOf(draft: Draft, current: MemoryEntry | undefined): Draft {
  if (draft.input.metadata !== undefined || current?.metadata === undefined) return draft;
  if (draft.parts.length === 0 && !isHead(current)) return draft;
  const { parts: _, ...metadata } = current.metadata;
  const count = draft.parts.length > 0 ? { parts: draft.parts.length } : {};
  return { ...draft, entry: { ...draft.entry, metadata: { ...metadata, ...count } } };
}

/**
 * Copies the existing group and time to the parts and the head. They are explicit, because other writers may
 * change them before the store.
 */
function withGroupAndTimeOf(draft: Draft, current: MemoryEntry | undefined): Draft {
  if (draft.isSent || draft.parts.length === 0) return draft;
  const { group = current?.group ?? null, occurred_at = current?.occurred_at ?? null } = draft.input;
  const placed = (each: EntryInput) => ({ ...each, group, occurred_at });
  return { ...draft, parts: draft.parts.map(placed), entry: placed(draft.entry) };
}

/** Returns the write id of existing parts that can be reused: same content, group and time, and no expiry. */
function reusableWrite(head: EntryInput, old: MemoryEntry): string | undefined {
  const [there, wanted] = [partsNamedBy(old), partsNamedBy(head)];
  const isSame = there?.sha256 === wanted?.sha256 && there?.count === wanted?.count;
  const isThere = old.group === (head.group ?? undefined) && old.occurred_at === head.occurred_at;
  const hasEnd = [old, head].some(({ ttl, expires_at }) => ttl != null || expires_at != null);
  return isSame && isThere && !hasEnd ? there?.write : undefined;
}

function ofWrite({ parts, entry }: Draft, write: string): Pick<Draft, "parts" | "entry"> {
  const content = { parts: { ...partsNamedBy(entry), write } };
  const renamed = parts.map((part) => ({ ...part, key: { ...(part.key as MemoryKey), write } }));
  return { parts: renamed as EntryInput[], entry: { ...entry, content } };
}

type Recorded = Pick<EntryInput, "content" | "metadata">;

function partsNamedBy(entry: Recorded) {
  return HeadSchema.safeParse(entry).data?.content.parts;
}

/** Returns whether two heads under one key are from the same write. */
export function isSameWrite(head: Recorded, other: Recorded): boolean {
  return partsNamedBy(head)?.write === partsNamedBy(other)?.write;
}

/** Returns the key hashes of the parts of a head. Empty for other entries. */
export function partHashes(head: Pick<EntryInput, "key" | "content" | "metadata">): string[] {
  return partKeys(head as MemoryEntry).map((key) => keyHash(key as MemoryKey));
}
