import type { EntryInput } from "@membus/agent-client";
import type { Filter, MemoryEntry, MetadataValue } from "@membus/protocol";
import { type RecordMetadata, readRecord, recordEntry, type Trust } from "@membus/protocol/records";

/** A stored fact. Its text never changes: a new text is a new fact that supersedes it. */
export interface Fact {
  readonly id: string;
  readonly text: string;
  readonly metadata: RecordMetadata<"fact">;
  /** The entry as it was read, with the score of the query. */
  readonly entry: MemoryEntry;
}

/** Settings of the entry of a fact: tags, seconds to live, importance 0..1, group, context. */
export type EntrySettings = Pick<EntryInput, "tags" | "ttl" | "importance" | "group" | "context">;

/** A text that may become a fact. */
export interface Candidate {
  readonly text: string;
  readonly trust: Trust;
  readonly category?: string | undefined;
  /** Name of the person or agent that said it. */
  readonly speaker?: string | undefined;
  /** Unix seconds from which it is true. */
  readonly validFrom: number;
  /** Key hashes of the entries that it is derived from. */
  readonly sources?: readonly string[] | undefined;
  /** Additional metadata. */
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
  /** Settings of the entry. Ignored if the fact exists. */
  readonly settings?: EntrySettings | undefined;
}

/** Maximum length of a fact in characters. The whole text is indexed. */
export const FACT_LENGTH_MAX = 8_192;

/** Trust levels, highest first. */
const TRUST_ORDER: readonly Trust[] = ["user", "agent", "tool", "web"];

export function isLowerTrust(trust: Trust, than: Trust): boolean {
  return TRUST_ORDER.indexOf(trust) > TRUST_ORDER.indexOf(than);
}

export function lowestTrust(trusts: readonly Trust[]): Trust {
  return TRUST_ORDER[Math.max(...trusts.map((trust) => TRUST_ORDER.indexOf(trust)))]!;
}

/** Returns who said a fact. */
export function speakerOf({ metadata }: Pick<Fact, "metadata">): string | undefined {
  return typeof metadata.speaker === "string" ? metadata.speaker : undefined;
}

/** A text and the name of its speaker. */
export interface Statement {
  readonly text: string;
  readonly speaker?: string | undefined;
}

/**
 * Returns whether one statement may repeat or replace the other. Statements of two speakers are independent,
 * unless both name the same one of the two.
 */
export function isComparable(one: Statement, other: Statement): boolean {
  if (one.speaker === undefined || other.speaker === undefined || one.speaker === other.speaker) return true;
  const texts = [one.text, other.text].map((text) => text.toLowerCase());
  return [one.speaker, other.speaker].some((name) =>
    texts.every((text) => text.includes(name.toLowerCase())),
  );
}

const WORD = /[\p{L}\p{N}_.-]+/gu;
/** Matches a word that is a name or a number. */
const DETAIL = /[\p{Lu}\p{N}]/u;

/** Returns whether `text` has a name or a number that `known` does not have. */
export function hasNewDetail(text: string, known: string): boolean {
  return sharedDetails(text, known) < detailsOf(text).length;
}

/** Returns how many names and numbers of `text` are in `known` too. */
export function sharedDetails(text: string, known: string): number {
  const lower = known.toLowerCase();
  return detailsOf(text).filter((detail) => lower.includes(detail)).length;
}

/** Returns the names and numbers of a text in lower case. */
function detailsOf(text: string): string[] {
  const details = (text.match(WORD) ?? []).filter((word) => DETAIL.test(word));
  return details.map((detail) => detail.replace(/(?<![.-])[.-]+$/, "").toLowerCase());
}

/** Words of facts about anything. */
const COMMON_WORDS = new Set(
  "the new user that this with from have has had been their there they will would about and for now".split(
    " ",
  ),
);

/** Stems of English words about the same situation of a person. */
const SITUATIONS = [
  ["live", "lives", "lived", "livin", "move", "moved", "moves", "movin", "reloc", "resid", "home"],
  ["work", "works", "worke", "worki", "job", "emplo", "hired", "joine", "compa"],
  ["boss", "manag", "repor", "super"],
];

/**
 * Returns the part of the words of `text` that `known` has too, 0..1, in any inflection. Words about the home, the work
 * or the manager of a person count as the same. In scripts without spaces, pairs of characters count as words.
 */
export function sharedWords(text: string, known: string): number {
  const stems = [...stemsOf(text)];
  const others = stemsOf(known);
  return stems.length === 0 ? 0 : stems.filter((stem) => others.has(stem)).length / stems.length;
}

/** Returns whether `known` may contain all of `text`: most of its words, and each name and number. */
export function mayContain(known: string, text: string): boolean {
  return sharedWords(text, known) >= 0.5 && !hasNewDetail(text, known);
}

/** Returns whether both texts state the same about the same, but `text` with another name or number. */
export function hasOtherDetail(text: string, known: string): boolean {
  const plain = (text.match(WORD) ?? []).filter((word) => !DETAIL.test(word)).join(" ");
  return hasNewDetail(text, known) && sharedWords(plain, known) === 1;
}

/** Returns whether both texts have a word in common, in any inflection. */
export function shareWord(text: string, known: string): boolean {
  const others = wordStems(known);
  return wordStems(text).some((stem) => others.includes(stem));
}

function stemsOf(text: string): Set<string> {
  return new Set(wordStems(text).map((stem) => SITUATIONS.find((one) => one.includes(stem))?.[0] ?? stem));
}

function wordStems(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const stems = words.filter((word) => !COMMON_WORDS.has(word)).map((word) => word.slice(0, 5));
  const dense =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}/gu) ?? [];
  const pairs = dense.flatMap((run) => Array.from(run).map((_, n, all) => all.slice(n, n + 2).join("")));
  return [...stems, ...pairs.filter((pair) => pair.length > 1)];
}

/** Punctuation around words. Inner characters matter: "C++", "-5" and "1.5" differ from "C", "5" and "15". */
const BEFORE_WORD = /^["'“”‘’«»([¡¿]+/;
const AFTER_WORD = /(?<![.,;:!?…"'“”‘’«»)\]。，；：！？])[.,;:!?…"'“”‘’«»)\]。，；：！？]+$/;

/**
 * Returns the words in order, in lower case and without punctuation around them. Texts with equal results
 * count as the same.
 */
export function normalizedWords(text: string): string {
  const words = text.toLowerCase().split(/\s+/);
  return words.flatMap((word) => word.replace(BEFORE_WORD, "").replace(AFTER_WORD, "") || []).join(" ");
}

export function readFact(entry: MemoryEntry): Fact | undefined {
  const record = readRecord(entry, "fact");
  if (record === undefined) return undefined;
  return { id: record.key.fact, text: record.content.text, metadata: record.metadata, entry };
}

/** Returns a filter for current facts, equivalent to `isCurrent`. Memories of other kinds pass. */
export function currentAt(now: number): Filter {
  return {
    all: [
      { field: "metadata.superseded_by", op: "exists", value: false },
      {
        any: [
          { field: "metadata.valid_until", op: "exists", value: false },
          isAfter("metadata.valid_until", now),
        ],
      },
    ],
  };
}

/** Returns a filter for facts that were true at `time`, even if they were superseded since. */
export function trueAt(time: number): Filter {
  const hasStarted: Filter = { not: isAfter("metadata.valid_from", time) };
  return {
    all: [
      hasStarted,
      {
        any: [
          { field: "metadata.valid_until", op: "exists", value: false },
          isAfter("metadata.valid_until", time),
        ],
      },
    ],
  };
}

function isAfter(field: string, time: number): Filter {
  return { field, op: "gt", value: time };
}

/** Returns the entry of a new fact, stored only if the id does not exist. */
export function factEntry(id: string, subject: string, candidate: Candidate): EntryInput {
  const { text, trust, category, speaker, validFrom, metadata, sources, settings } = candidate;
  const record = recordEntry({
    kind: "fact",
    key: { fact: id },
    content: { text },
    metadata: {
      ...(speaker !== undefined && { speaker }),
      ...metadata,
      about: subject,
      trust,
      valid_from: validFrom,
      ...(category !== undefined && { category }),
    },
  });
  const lineage = sources === undefined ? {} : { sources: [...sources] };
  return { ...settings, ...record, ...lineage, occurred_at: validFrom, if_revision: 0 };
}

/**
 * Returns `fact` with its end time and its replacement, stored only if it is unchanged. `consolidation` is the
 * id for `restoredEntry`.
 */
export function supersededEntry(
  { entry, metadata: { valid_until } }: Fact,
  until: number,
  byKeyHash: string,
  consolidation?: string,
): EntryInput {
  const undo = consolidation !== undefined && {
    consolidation,
    ...(valid_until !== undefined && { valid_until_before: valid_until }),
  };
  const metadata = { ...entry.metadata, valid_until: until, superseded_by: byKeyHash, ...undo };
  return { ...entry, metadata, if_revision: entry.revision } as EntryInput;
}

/** Returns `fact` as it was before a consolidation, stored only if it is unchanged. */
export function restoredEntry({ entry }: Fact): EntryInput {
  const {
    superseded_by: _by,
    consolidation: _consolidation,
    valid_until: _until,
    valid_until_before: before,
    ...metadata
  } = entry.metadata ?? {};
  return {
    ...entry,
    metadata: { ...metadata, ...(before !== undefined && { valid_until: before }) },
    if_revision: entry.revision,
  } as EntryInput;
}

/** Returns `fact` with the trust and sources of a repetition, stored only if it is unchanged. */
export function repeatedEntry(
  { entry }: Fact,
  { trust, sources }: { readonly trust: Trust; readonly sources: readonly string[] },
): EntryInput {
  const lineage = sources.length === 0 ? {} : { sources };
  const metadata = { ...entry.metadata, trust };
  return { ...entry, ...lineage, metadata, if_revision: entry.revision } as EntryInput;
}
