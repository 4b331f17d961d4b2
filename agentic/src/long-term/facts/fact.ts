import type { EntryInput } from "@membus/agent-client";
import {
  type Filter,
  LIMITS,
  type MemoryEntry,
  type MetadataValue,
  type RecordMetadata,
  readRecord,
  recordEntry,
  type Trust,
} from "@membus/protocol";

/** A fact as it stands in memory. Its text never changes: another text is another fact, which takes its place. */
export interface Fact {
  readonly id: string;
  readonly text: string;
  readonly metadata: RecordMetadata<"fact">;
  /** As it was read; its score is that of the query, if there was one. */
  readonly entry: MemoryEntry;
}

/** Something that may become a fact. */
export interface Candidate {
  readonly text: string;
  readonly trust: Trust;
  readonly category?: string | undefined;
  /** Unix seconds from which on it is true. */
  readonly validFrom: number;
  /** Key hashes of what it is derived from. */
  readonly sources?: readonly string[] | undefined;
  /** Beside what a fact has of itself. */
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
}

/** Longest text of a fact, in characters: all of it is indexed. */
export const FACT_LENGTH_MAX = LIMITS.derivedTextLength;

/** Whose word counts more, the first most. */
const TRUST_ORDER: readonly Trust[] = ["user", "agent", "tool", "web"];

export function isWeaker(trust: Trust, than: Trust): boolean {
  return TRUST_ORDER.indexOf(trust) > TRUST_ORDER.indexOf(than);
}

export function weakest(trusts: readonly Trust[]): Trust {
  return TRUST_ORDER[Math.max(...trusts.map((trust) => TRUST_ORDER.indexOf(trust)))]!;
}

/** Around words, where they say nothing: "C++", "-5" and "1.5" are other words than "C", "5" and "15". */
const AROUND_WORDS = /^["'“”‘’«»([¡¿]+|[.,;:!?…"'“”‘’«»)\]。，；：！？]+$/gu;

/** The words in their order, without case and the punctuation around them: what differs in no more says the same. */
export function saidWords(text: string): string {
  const words = text.toLowerCase().split(/\s+/);
  return words.flatMap((word) => word.replaceAll(AROUND_WORDS, "") || []).join(" ");
}

export function readFact(entry: MemoryEntry): Fact | undefined {
  const record = readRecord(entry, "fact");
  if (record === undefined) return undefined;
  return { id: record.key.fact, text: record.content.text, metadata: record.metadata, entry };
}

/** What `isCurrent` says, for a filter; memories of other kinds pass. */
export function currentAt(now: number): Filter {
  return {
    all: [
      { field: "metadata.superseded_by", op: "exists", value: false },
      {
        any: [
          { field: "metadata.valid_until", op: "exists", value: false },
          later("metadata.valid_until", now),
        ],
      },
    ],
  };
}

/** What was true at `time`, whatever has taken its place since. */
export function trueAt(time: number): Filter {
  const begun: Filter = { not: later("metadata.valid_from", time) };
  return {
    all: [
      begun,
      {
        any: [
          { field: "metadata.valid_until", op: "exists", value: false },
          later("metadata.valid_until", time),
        ],
      },
    ],
  };
}

function later(field: string, time: number): Filter {
  return { field, op: "gt", value: time };
}

/** A new fact, for a store: only if there is none of this id. */
export function factEntry(id: string, about: string, candidate: Candidate): EntryInput {
  const { text, trust, category, validFrom, metadata, sources } = candidate;
  const record = recordEntry({
    kind: "fact",
    key: { fact: id },
    content: { text },
    metadata: {
      ...metadata,
      about,
      trust,
      valid_from: validFrom,
      ...(category !== undefined && { category }),
    },
  });
  const lineage = sources === undefined ? {} : { sources: [...sources] };
  return { ...record, ...lineage, occurred_at: validFrom, if_revision: 0 };
}

/** `fact` with an end and what has taken its place, for a store: only if nobody has changed it. */
export function supersededEntry({ entry }: Fact, until: number, byKeyHash: string): EntryInput {
  const metadata = { ...entry.metadata, valid_until: until, superseded_by: byKeyHash };
  return { ...entry, metadata, if_revision: entry.revision } as EntryInput;
}

/** `fact` as it is when somebody has said it again, for a store: only if nobody has changed it. */
export function repeatedEntry(
  { entry }: Fact,
  { trust, sources }: { readonly trust: Trust; readonly sources: readonly string[] },
): EntryInput {
  const lineage = sources.length === 0 ? {} : { sources };
  const metadata = { ...entry.metadata, trust };
  return { ...entry, ...lineage, metadata, if_revision: entry.revision } as EntryInput;
}
