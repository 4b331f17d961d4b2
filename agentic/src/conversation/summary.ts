import type { EntryInput } from "@membus/agent-client";
import { type MemoryEntry, readRecord, recordEntry } from "@membus/protocol";
import { z } from "zod";

/** What stands for a part of a conversation. */
export interface Summary {
  readonly text: string;
  readonly keyFacts: readonly string[];
  readonly openThreads: readonly string[];
  /** The first and last message that it stands for, by `seq`; 0 and 0: for none. */
  readonly covers: { readonly from: number; readonly to: number };
  /** 1: made of messages alone; one more for each summary below it. */
  readonly level: number;
  /** What the user has asked for so far; "" where it says nothing of that. */
  readonly userRequests: string;
  /** Images of messages that are to be seen still: the n-th of a message, from 0. */
  readonly images: readonly SummaryImage[];
  /** Key hashes of the newest 64 messages that it stands for; empty where none is known. */
  readonly sources: readonly string[];
}

export interface SummaryImage {
  readonly message: string;
  readonly index: number;
}

export const SummaryImageSchema = z.strictObject({ message: z.string().min(1), index: z.int().min(0) });

const ExtrasSchema = z.object({
  user_requests: z.string().catch(""),
  images: z.array(SummaryImageSchema).catch([]),
});

/**
 * Its key is the message that it goes up to, so that two processes which summarise the same part write one record.
 * The range stands in the metadata too: summaries are forgotten by it. It names messages and no summary before it: a long
 * conversation would make a chain of these that is longer than a cascade follows.
 */
export function summaryEntry(conversation: string, summary: Summary): Omit<EntryInput, "tier" | "group"> {
  const { text, keyFacts, openThreads, covers, level, userRequests, images, sources } = summary;
  const record = recordEntry({
    kind: "summary",
    key: { conversation, summary: String(covers.to) },
    content: {
      text,
      key_facts: [...keyFacts],
      open_threads: [...openThreads],
      covers: { ...covers },
      user_requests: userRequests,
      images: images.map(({ message, index }) => ({ message, index })),
    },
    metadata: { level, ...covers },
  });
  return sources.length === 0 ? record : { ...record, sources: [...sources] };
}

export function readSummary(entry: MemoryEntry): Summary | undefined {
  const record = readRecord(entry, "summary");
  if (record === undefined) return undefined;
  const { text, key_facts, open_threads, covers, ...rest } = record.content;
  const { user_requests, images } = ExtrasSchema.parse(rest);
  return {
    text,
    keyFacts: key_facts,
    openThreads: open_threads,
    covers,
    level: record.metadata.level,
    userRequests: user_requests,
    images,
    sources: entry.sources ?? [],
  };
}

/** A summary as text: what was asked, what came of it, its facts and open threads, each under its heading. */
export function summaryText({ text, keyFacts, openThreads, userRequests }: Summary): string {
  const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join("\n");
  const sections = [
    ["Requests so far", userRequests],
    ["What happened", text],
    ["Facts to keep", list(keyFacts)],
    ["Open", list(openThreads)],
  ] as const;
  return sections
    .filter(([, body]) => body !== "")
    .map(([heading, body]) => `${heading}:\n${body}`)
    .join("\n\n");
}
