import { MemoryError } from "@membus/protocol";
import { type ContextWindow, messageTokens, type TokenCounter } from "../context/index.js";
import type { Recall } from "../long-term/index.js";
import type { ChatMessage } from "../model/index.js";

/** Tokens that an image counts for. */
const IMAGE_TOKENS = 800;

/** Fraction of the free tokens that facts may take. The rest is for earlier messages. */
const FACTS_SHARE = 0.5;

export interface ContextSources {
  /** Facts for the messages, best first. */
  readonly recall: Recall;
  /** Opens a window on earlier messages with at most this many tokens. */
  openWindow(tokensMax: number): ContextWindow;
  readonly count: TokenCounter;
}

/**
 * Returns the system messages with the recalled facts, then earlier messages, then the given messages.
 * @throws {MemoryError} `too_large` if the given messages exceed `tokensMax`.
 */
export async function promptContext(
  messages: readonly ChatMessage[],
  tokensMax: number,
  { recall, openWindow, count }: ContextSources,
): Promise<ChatMessage[]> {
  const measure = (list: readonly ChatMessage[]) =>
    list.reduce((sum, message) => sum + messageTokens(message, count, IMAGE_TOKENS), 0);
  const given = measure(messages);
  if (given > tokensMax) {
    const advice = "Shorten the messages or raise `contextTokensMax`";
    throw new MemoryError("too_large", `the messages have ${given} tokens, limit ${tokensMax}. ${advice}`);
  }
  const start = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const turn = start === -1 ? [] : messages.slice(start);
  const maxTokens = Math.floor((tokensMax - given) * FACTS_SHARE);
  const facts = maxTokens < 1 ? "" : recall.asText({ maxTokens, count });
  const head = withFacts(start === -1 ? messages : messages.slice(0, start), facts);
  const left = tokensMax - measure(head) - measure(turn);
  const earlier = left < 1 ? [] : await openWindow(left).messages();
  return [...head, ...newestWithin(withoutOverlap(earlier, turn), left, measure), ...turn];
}

/** Adds facts to the last system message if it is a text, because some models accept only one. */
function withFacts(system: readonly ChatMessage[], facts: string): ChatMessage[] {
  if (facts === "") return [...system];
  const last = system.at(-1);
  if (typeof last?.content !== "string") return [...system, { role: "system", content: facts }];
  return [...system.slice(0, -1), { ...last, content: `${last.content}\n\n${facts}` }];
}

/** Removes the end of `earlier` that the beginning of `turn` repeats. */
export function withoutOverlap(earlier: readonly ChatMessage[], turn: readonly ChatMessage[]): ChatMessage[] {
  const same = (a: ChatMessage, b: ChatMessage) =>
    a.role === b.role && JSON.stringify(a.content) === JSON.stringify(b.content);
  for (let length = Math.min(earlier.length, turn.length); length > 0; length--) {
    const end = earlier.slice(-length);
    if (end.every((message, n) => same(message, turn[n]!))) return earlier.slice(0, -length);
  }
  return [...earlier];
}

/** Drops the oldest messages until the rest fits. Results without their call are dropped too. */
function newestWithin(
  messages: readonly ChatMessage[],
  tokensMax: number,
  measure: (list: readonly ChatMessage[]) => number,
): ChatMessage[] {
  let from = 0;
  while (from < messages.length && measure(messages.slice(from)) > tokensMax) from++;
  if (from > 0) while (messages[from]?.role === "tool") from++;
  return messages.slice(from);
}
