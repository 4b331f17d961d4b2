import {
  type Conversation,
  type ConversationMessage,
  DESCRIPTION_ID,
  inOrder,
} from "../conversation/index.js";
import type { ChatMessage } from "../model/index.js";
import type { Subject } from "./compaction.js";
import { withoutOrphans } from "./rounds.js";
import { summaryItem } from "./summary-item.js";
import type { MessageCounter } from "./tokens.js";
import type { ViewItem } from "./view.js";

/** What a window shows instead of a message; undefined: nothing. It holds for one revision. */
export interface Override {
  readonly seq: number;
  readonly revision: number;
  readonly view: ChatMessage | undefined;
}

const PAGE_SIZE = 100;

/**
 * The conversation as a window has it: the leading system message, the summary, and the messages behind what that stands
 * for. Those are read from the newest, and where nobody can summarise them, only so far as `tokensMax` of them.
 */
export async function readSubject(
  conversation: Conversation,
  overrides: ReadonlyMap<string, Override>,
  tokensMax: number,
  counter: MessageCounter,
): Promise<Subject> {
  const [leading, summary] = await Promise.all([conversation.leadingSystem(), conversation.summary()]);
  const until = summary?.covers.to ?? 0;
  const messages = await messagesAfter(conversation, until, leading?.id, tokensMax, counter);
  const ids = new Set(summary?.images.map(({ message }) => message));
  const pictured = ids.size === 0 ? [] : await conversation.records.messagesById([...ids]);
  const items = messages.map((message) => itemOf(message, counter));
  const picturedItems = pictured.map((message) => itemOf(message, counter));
  return {
    view: {
      system: leading && itemOf(leading, counter),
      summary: summary && summaryItem(summary, picturedItems, counter.measure),
      items: shown(withoutOrphans(items), overrides, counter),
    },
    summary,
    pictured: picturedItems,
  };
}

async function messagesAfter(
  conversation: Conversation,
  seq: number,
  leadingId: string | undefined,
  tokensMax: number,
  counter: MessageCounter,
): Promise<ConversationMessage[]> {
  const found: ConversationMessage[] = [];
  let tokens = 0;
  for await (const message of conversation.records.eachMessage({ order: "newest" }, PAGE_SIZE)) {
    if (message.id === DESCRIPTION_ID || message.id === leadingId) continue;
    if (message.seq <= seq) break;
    found.push(message);
    tokens += counter.stored(message.id, message.revision, message.message);
    if (tokens > tokensMax) break;
  }
  if (tokens > tokensMax && !found.some(({ message }) => message.role === "user")) {
    const [user] = await conversation.get({ role: "user", last: 1 });
    if (user !== undefined && user.seq > seq) found.push(user);
  }
  return found.sort(inOrder);
}

function itemOf(stored: ConversationMessage, counter: MessageCounter): ViewItem {
  const { id, seq, revision, updated, message } = stored;
  const tokens = counter.stored(id, revision, message);
  return { id, seq, revision, updated, raw: message, view: message, tokens };
}

function shown(
  items: readonly ViewItem[],
  overrides: ReadonlyMap<string, Override>,
  counter: MessageCounter,
): ViewItem[] {
  return items.flatMap((item) => {
    const override = overrides.get(item.id);
    if (override === undefined || override.revision !== item.revision) return [item];
    const { view } = override;
    return view === undefined ? [] : [{ ...item, view, tokens: counter.measure(view) }];
  });
}
