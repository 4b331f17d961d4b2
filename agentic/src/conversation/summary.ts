import type { EntryInput } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import { readRecord, recordEntry } from "@membus/protocol/records";
import { z } from "zod";

/** A summary of a part of a conversation. */
export interface Summary {
  readonly text: string;
  readonly keyFacts: readonly string[];
  readonly openThreads: readonly string[];
  /** `seq` of the first and last message that it covers. 0 and 0: none. */
  readonly covers: { readonly from: number; readonly to: number };
  /** 1 for a summary of messages only, one more for each earlier summary it includes. */
  readonly level: number;
  /** The user's requests so far. "" if unknown. */
  readonly userRequests: string;
  /** Images that must stay visible: the n-th image of a message, from 0. */
  readonly images: readonly SummaryImage[];
  /** Key hashes of the newest 64 messages that it covers. Empty if unknown. */
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
 * Returns the record of a summary. Its key is the last message that it covers, so that two processes that
 * summarize the same range write the same record. The range is in the metadata too, because summaries are
 * forgotten by range. `sources` lists messages but no earlier summary: in a long conversation, the chain of
 * summaries would exceed the depth limit of a cascade.
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
    covers: rangeOf(record.metadata) ?? covers,
    level: record.metadata.level,
    userRequests: user_requests,
    images,
    sources: entry.sources ?? [],
  };
}

/** Returns the range in the metadata. A copy of a summary in parts has its new range only there. */
function rangeOf({ from, to }: { readonly [name: string]: unknown }): Summary["covers"] | undefined {
  return typeof from === "number" && typeof to === "number" ? { from, to } : undefined;
}

/** Formats a summary as text: requests, summary, facts and open threads, each under a heading. */
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
