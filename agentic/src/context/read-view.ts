import {
  type Conversation,
  type ConversationMessage,
  DESCRIPTION_ID,
  inOrder,
} from "../conversation/index.js";
import type { ChatMessage } from "../model/index.js";
import type { CompactionState } from "./compaction.js";
import { withoutOrphans } from "./rounds.js";
import { summaryItem } from "./summary-item.js";
import type { MessageCounter } from "./tokens.js";
import { isToolResult } from "./tool-results.js";
import { type ViewItem, withView } from "./view.js";

/** The replacement of a message in a window, valid for one revision. undefined: the message is hidden. */
export interface Override {
  readonly seq: number;
  readonly revision: number;
  readonly view: ChatMessage | undefined;
}

const PAGE_SIZE = 100;

/** Maximum number of messages that are read to find the newest rounds and the calls of their results. */
const UNSETTLED_READ_MAX = 10_000;

export interface ReadLimits {
  /** Maximum number of tokens of messages that are read after the summary. */
  readonly tokensMax: number;
  /** Maximum number of tokens that a tool result counts for, because longer ones can be cut. */
  readonly resultTokensMax: number;
  /** Number of assistant messages that are always read. */
  readonly graceRounds: number;
}

/**
 * Reads a conversation for a window: the leading system message, the summary, and the messages after the
 * summary. Messages are read from the newest on. Without a summarizing model, only as many as `limits` allow
 * are read.
 */
export async function readCompactionState(
  conversation: Conversation,
  overrides: ReadonlyMap<string, Override>,
  limits: ReadLimits,
  counter: MessageCounter,
): Promise<CompactionState> {
  const [leading, summary] = await Promise.all([conversation.leadingSystem(), conversation.summary()]);
  const until = summary?.covers.to ?? 0;
  const messages = await messagesAfter(conversation, until, leading?.id, limits, counter);
  const ids = new Set(summary?.images.map(({ message }) => message));
  const imageMessages = ids.size === 0 ? [] : await conversation.records.messagesById([...ids]);
  const items = messages.map((message) => itemOf(message, counter));
  const imageItems = imageMessages.map((message) => itemOf(message, counter));
  const override = ({ id, revision }: ViewItem) => {
    const found = overrides.get(id);
    return found?.revision === revision ? found : undefined;
  };
  const matched = withoutOrphans(items);
  const isHidden = (item: ViewItem) => override(item) !== undefined && override(item)?.view === undefined;
  return {
    view: {
      system: leading && itemOf(leading, counter),
      summary: summary && summaryItem(summary, imageItems, counter.measure),
      items: matched
        .filter((item) => !isHidden(item))
        .map((item) => withView(item, override(item)?.view ?? item.view, counter.measure)),
    },
    hidden: matched.filter(isHidden),
    summary,
    imageMessages: imageItems,
  };
}

async function messagesAfter(
  conversation: Conversation,
  seq: number,
  leadingId: string | undefined,
  limits: ReadLimits,
  counter: MessageCounter,
): Promise<ConversationMessage[]> {
  const { tokensMax, resultTokensMax, graceRounds } = limits;
  const found: ConversationMessage[] = [];
  const unmatched = new Set<string>();
  let tokens = 0;
  let rounds = 0;
  for await (const stored of conversation.records.eachMessage({ order: "newest" }, PAGE_SIZE)) {
    if (stored.id === DESCRIPTION_ID || stored.id === leadingId) continue;
    if (stored.seq <= seq) break;
    found.push(stored);
    matchCalls(stored.message, unmatched);
    const all = counter.stored(stored.id, stored.revision, stored.message);
    tokens += isToolResult(stored.message) ? Math.min(all, resultTokensMax) : all;
    if (stored.message.role === "assistant") rounds++;
    const isSettled = unmatched.size === 0 && rounds >= graceRounds;
    if (tokens > tokensMax && (isSettled || found.length >= UNSETTLED_READ_MAX)) break;
  }
  if (tokens > tokensMax && !found.some(({ message }) => message.role === "user")) {
    const [user] = await conversation.get({ role: "user", last: 1 });
    if (user !== undefined && user.seq > seq) found.push(user);
  }
  return found.sort(inOrder);
}

/** Tracks calls that are not read yet although their results are. Messages are read backwards. */
function matchCalls({ role, tool_call_id, tool_calls = [] }: ChatMessage, unmatched: Set<string>): void {
  if (role === "tool" && tool_call_id !== undefined) unmatched.add(tool_call_id);
  if (role === "assistant") for (const { id } of tool_calls) unmatched.delete(id);
}

function itemOf(stored: ConversationMessage, counter: MessageCounter): ViewItem {
  const { id, seq, revision, updated, message } = stored;
  const tokens = counter.stored(id, revision, message);
  return { id, seq, revision, updated, raw: message, view: message, tokens };
}
