import type { Chat, ChatMessage, ChatOffload, ChatSummary, Learned } from "@membus/gateway/inspector-api";
/** A message with its offloads and the entries learned from it. */
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

export type ChatItem = MessageItem | SummaryItem;

/** The parts of a chat that become items of a page. */
export type ChatParts = Pick<Chat, "messages" | "summaries" | "offloads" | "learned">;

/** Returns the messages of a page in order, with summaries between them. */
export function chatItems({ messages, summaries, offloads, learned }: ChatParts): ChatItem[] {
  const placed = summaries
    .map((summary) => ({ summary, within: messages.filter(({ seq }) => isCovered(seq, summary)) }))
    .filter(({ within }) => within.length > 0);
  return messages.flatMap((message): ChatItem[] => {
    const item = {
      message,
      isCompacted: summaries.some((summary) => isCovered(message.seq, summary)),
      offloads: offloads.filter((offload) => offload.message === message.id),
      learned: learned.filter(({ sources }) => sources.includes(message.key_hash)),
    };
    const ending = placed.filter(({ within }) => within.at(-1) === message);
    return [item, ...ending.map(({ summary, within }) => ({ summary, covered: within.length }))];
  });
}

function isCovered(seq: number, { covers: { from, to } }: ChatSummary): boolean {
  return seq >= from && seq <= to;
}
