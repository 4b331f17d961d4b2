/** What was read of several tiers, and which could not be. */
export interface PageOfTiers {
  readonly degraded: readonly { readonly tier: string; readonly message: string }[];
}

export interface ChatCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ChatMessage {
  readonly key_hash: string;
  readonly id: string;
  readonly seq: number;
  readonly tier: string;
  readonly namespace: string;
  readonly role: string;
  readonly name?: string;
  readonly author: string;
  readonly occurred_at: number;
  readonly text: string;
  readonly truncated: boolean;
  readonly tool_calls: readonly ChatCall[];
  readonly tool_call_id?: string;
  readonly marks: readonly string[];
}

export interface ChatSummary {
  readonly key_hash: string;
  readonly text: string;
  readonly key_facts: readonly string[];
  readonly open_threads: readonly string[];
  readonly covers: { readonly from: number; readonly to: number };
  readonly level: number;
  readonly created: number;
}

export interface ChatOffload {
  readonly message: string;
  readonly bytes: number;
  readonly tool?: string;
}

export interface Learned {
  readonly key_hash: string;
  readonly tier: string;
  readonly namespace: string;
  readonly kind?: string;
  readonly text: string;
  readonly sources: readonly string[];
}

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

export interface ChatPage {
  readonly messages: readonly ChatMessage[];
  readonly summaries: readonly ChatSummary[];
  readonly offloads: readonly ChatOffload[];
  readonly learned: readonly Learned[];
}

/** The messages of a page in their order, and among them the summaries that stand for some of them. */
export function chatItems({ messages, summaries, offloads, learned }: ChatPage): ChatItem[] {
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
