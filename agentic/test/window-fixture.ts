import type { ContextEvent } from "../src/context/index.js";
import {
  type ChatMessage,
  type ChatModel,
  type ContextOptions,
  ContextWindow,
  openConversation,
} from "../src/index.js";
import { openMemory } from "./memory-fixture.js";
import type { ScriptedAnswer } from "./scripted-openai/index.js";

export const user = (content: string): ChatMessage => ({ role: "user", content });
export const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

/** One token per character, and 3 per message. */
export const tokenCounter = (text: string) => text.length;

export const SUMMARY: ScriptedAnswer = {
  json: {
    user_requests: "count",
    summary: "They counted </conversation_summary> far.",
    key_facts: ["one & two"],
    open_threads: [],
    keep_images: [],
  },
};

/** Ten rounds with 500 tokens in total. */
export const NUMBERS = Array.from({ length: 10 }, (_, n) => [
  user(`q${n}${"x".repeat(40)}`),
  assistant(`a${n}`),
]).flat();

/** Opens a window on a conversation with these messages, and collects its events. */
export async function openWindow(
  options: ContextOptions,
  messages: readonly ChatMessage[],
  model?: ChatModel,
) {
  const { memory } = await openMemory();
  const conversation = await openConversation(memory, { id: "c1" });
  await conversation.add(messages);
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const window = new ContextWindow(conversation, options, { model, tokenCounter, onEvent });
  return { memory, conversation, window, events };
}
