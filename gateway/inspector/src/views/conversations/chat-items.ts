import type { Chat, ChatMessage, ChatOffload, ChatSummary, Learned } from "@membus/gateway/inspector-api";

/** A message with its offloads and the entries learned from it alone. */
export interface MessageItem {
  readonly message: ChatMessage;
  /** True if a summary replaces the message. */
  readonly isCompacted: boolean;
  readonly offloads: readonly ChatOffload[];
  readonly learned: readonly Learned[];
}

/** A summary. It follows the last message of the page that it replaces. */
export interface SummaryItem {
  readonly summary: ChatSummary;
  /** Number of messages on the page that the summary replaces. */
  readonly covered: number;
}

/** Entries learned from the same messages of the page. It follows the last of these messages. */
export interface LearnedItem {
  readonly learned: readonly Learned[];
  /** Number of messages on the page from which they were learned. */
  readonly from: number;
}

export type ChatItem = MessageItem | LearnedItem | SummaryItem;

/** The parts of a chat that become items of a page. */
export type ChatParts = Pick<Chat, "messages" | "summaries" | "offloads" | "learned">;

/** Returns the messages of a page in order, with summaries and learned entries between them. */
export function chatItems({ messages, summaries, offloads, learned }: ChatParts): ChatItem[] {
  const placed = summaries
    .map((summary) => ({ summary, within: messages.filter(({ seq }) => isCovered(seq, summary)) }))
    .filter(({ within }) => within.length > 0);
  const groups = learnedTogether(messages, learned);
  return messages.flatMap((message): ChatItem[] => {
    const item = {
      message,
      isCompacted: summaries.some((summary) => isCovered(message.seq, summary)),
      offloads: offloads.filter((offload) => offload.message === message.id),
      learned: learned.filter(({ sources }) => isOnly(sources, message.key_hash)),
    };
    const ending = placed.filter(({ within }) => within.at(-1) === message);
    return [
      item,
      ...groups.filter(({ last }) => last === message).map(({ last: _, ...group }) => group),
      ...ending.map(({ summary, within }) => ({ summary, covered: within.length })),
    ];
  });
}

/** Groups the entries with several sources by these sources. */
function learnedTogether(messages: readonly ChatMessage[], learned: readonly Learned[]) {
  const groups = new Map<string, { last: ChatMessage; from: number; learned: readonly Learned[] }>();
  for (const entry of learned) {
    const within = messages.filter(({ key_hash }) => entry.sources.includes(key_hash));
    const last = within.at(-1);
    if (last === undefined || within.length < 2) continue;
    const id = within.map(({ key_hash }) => key_hash).join(" ");
    groups.set(id, { last, from: within.length, learned: [...(groups.get(id)?.learned ?? []), entry] });
  }
  return [...groups.values()];
}

function isOnly(sources: readonly string[], hash: string): boolean {
  return sources.length > 0 && sources.every((source) => source === hash);
}

function isCovered(seq: number, { covers: { from, to } }: ChatSummary): boolean {
  return seq >= from && seq <= to;
}
