import { textOf } from "../conversation/index.js";
import type { ChatMessage } from "../model/index.js";
import { protectedStart } from "./rounds.js";
import { cutBefore, type MessageCounter, type TokenCounter } from "./tokens.js";
import { type ViewItem, withView } from "./view.js";

const TRUNCATED = " [truncated]";

/** // Frameworks without a tool role send tool results as user messages. */
const RESULT_IN_USER_MESSAGE = /^Tool .{1,100}? returned:/;

export function isToolResult(message: ChatMessage): boolean {
  return message.role === "tool" || (message.role === "user" && RESULT_IN_USER_MESSAGE.test(textOf(message)));
}

/** Returns the message with another text. Its images stay. */
export function withText(message: ChatMessage, text: string): ChatMessage {
  if (!Array.isArray(message.content)) return { ...message, content: text };
  const others = message.content.filter((part) => typeof part.text !== "string");
  return { ...message, content: [{ type: "text", text }, ...others] };
}

export interface TruncationLimits {
  readonly graceRounds: number;
  readonly toolResultTokensMax: number;
}

/** Cuts tool results before the newest rounds. */
export function truncateToolResults(
  items: readonly ViewItem[],
  { graceRounds, toolResultTokensMax }: TruncationLimits,
  { count, measure }: Pick<MessageCounter, "count" | "measure">,
): ViewItem[] {
  const start = protectedStart(items, graceRounds);
  return items.map((item, index) => {
    if (index >= start || !isToolResult(item.view)) return item;
    const text = textOf(item.view);
    const cut = truncate(text, toolResultTokensMax, count);
    return cut === text ? item : withView(item, withText(item.view, cut), measure);
  });
}

/** Cuts a text to at most `max` tokens, including the note "[truncated]". */
export function truncate(text: string, max: number, count: TokenCounter): string {
  let tokens = count(text);
  if (tokens <= max) return text;
  const available = max - count(TRUNCATED);
  let length = text.length;
  while (tokens > available && length > 0) {
    length = Math.min(length - 1, Math.floor((length * Math.max(available, 0)) / tokens));
    length = cutBefore(text, length, length / 2);
    tokens = count(text.slice(0, length));
  }
  return length > 0 ? text.slice(0, length) + TRUNCATED : TRUNCATED.trimStart();
}
