import type { Chat, ChatMessage, ChatOffload, ChatSummary, Learned } from "@membus/gateway/inspector-api";
/** A message with what became of it. */
export interface MessageItem {
  readonly message: ChatMessage;
  /** Whether a summary stands for it. */
  readonly isCompacted: boolean;
  readonly offloads: readonly ChatOffload[];
  readonly learned: readonly Learned[];
}

/** A summary, after the last message of the page that it stands for. */
export interface SummaryItem {
  readonly summary: ChatSummary;
  /** Messages of the page that it stands for. */
  readonly covered: number;
}

export type ChatItem = MessageItem | SummaryItem;

/** What becomes the items of a page. */
export type ChatParts = Pick<Chat, "messages" | "summaries" | "offloads" | "learned">;

/** The messages of a page in their order, and among them the summaries that stand for some of them. */
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
