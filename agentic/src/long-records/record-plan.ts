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

/** A record that is to be stored. */
export interface Draft {
  /** In the call. */
  readonly index: number;
  readonly input: EntryInput;
  /** Parts of a write of their own. */
  readonly parts: readonly EntryInput[];
  /** The record itself, or the head of the parts. */
  readonly entry: EntryInput;
  /** Whether the parts are there, from a try before. */
  readonly isSent: boolean;
}

/** How a draft is stored over what is there. */
export interface RecordPlan extends Draft {
  readonly draft: Draft;
  /** Whether the entry has a condition that the caller did not give: then it is known what it replaces. */
  readonly isOurCondition: boolean;
  /** The head that is replaced, where there is one. */
  readonly old: MemoryEntry | undefined;
}

/** @throws {MemoryError} `too_large` for a record of more than 180 MB, or one that is too large without its content. */
export function draftOf(input: EntryInput, index: number): Draft {
  const split = splitRecord(input, { sources: true });
  const [parts, entry] = [split.slice(0, -1), split.at(-1)!];
  if (parts.length > 0) checkEntrySize(entry, Number.POSITIVE_INFINITY);
  return { index, input, parts, entry, isSent: false };
}

/**
 * `current` is what is under the key. The plan is a draft of the same: `isSent` says whether its parts are to be there, which
 * they need not be for an entry that is refused, or where the head that is there has the same.
 */
export function planRecord(draft: Draft, current: MemoryEntry | undefined): RecordPlan {
  const old = current !== undefined && isHead(current) ? current : undefined;
  const [condition, revision] = [draft.input.if_revision ?? undefined, current?.revision ?? 0];
  const filled = withMetadataOf(withPlaceOf(draft, current), current);
  const common = { draft, old, isOurCondition: condition === undefined };
  const entry = common.isOurCondition ? { ...filled.entry, if_revision: revision } : filled.entry;
  const plan = { ...filled, ...common, entry };
  if (draft.isSent || draft.parts.length === 0) return plan;
  if (condition !== undefined && condition !== revision) return plan;
  const kept = old && writeThatHolds(filled.entry, old);
  return kept === undefined ? { ...plan, isSent: true } : { ...plan, ...ofWrite(plan, kept) };
}

/** For another try, over what is there then. */
export function nextDraft({ draft, parts, entry: { group, occurred_at }, isSent }: RecordPlan): Draft {
  return isSent ? { ...draft, parts, entry: { ...draft.entry, group, occurred_at }, isSent } : draft;
}

/** A store without metadata leaves them as they are (clause UPD-2), but for what says that there are parts. */
function withMetadataOf(draft: Draft, current: MemoryEntry | undefined): Draft {
  if (draft.input.metadata !== undefined || current?.metadata === undefined) return draft;
  if (draft.parts.length === 0 && !isHead(current)) return draft;
  const { parts: _, ...metadata } = current.metadata;
  const count = draft.parts.length > 0 ? { parts: draft.parts.length } : {};
  return { ...draft, entry: { ...draft.entry, metadata: { ...metadata, ...count } } };
}

/** It also leaves group and time: parts get those of their head, which are said, as others may change them until it is stored. */
function withPlaceOf(draft: Draft, current: MemoryEntry | undefined): Draft {
  if (draft.isSent || draft.parts.length === 0) return draft;
  const { group = current?.group ?? null, occurred_at = current?.occurred_at ?? null } = draft.input;
  const placed = (each: EntryInput) => ({ ...each, group, occurred_at });
  return { ...draft, parts: draft.parts.map(placed), entry: placed(draft.entry) };
}

/** The write of which the parts are there already: they hold the same, lie where these would, and have no end. */
function writeThatHolds(head: EntryInput, old: MemoryEntry): string | undefined {
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

/** Whether two heads under one key are of one write. */
export function isSameWrite(head: Recorded, other: Recorded): boolean {
  return partsNamedBy(head)?.write === partsNamedBy(other)?.write;
}

/** The key hashes of the parts of a head; none of another entry. */
export function partHashes(head: Pick<EntryInput, "key" | "content" | "metadata">): string[] {
  return partKeys(head as MemoryEntry).map((key) => keyHash(key as MemoryKey));
}
