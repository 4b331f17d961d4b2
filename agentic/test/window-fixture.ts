import {
  type ChatMessage,
  type ChatModel,
  type ContextEvent,
  type ContextOptions,
  ContextWindow,
  openConversation,
} from "../src/index.js";
import { openMemory } from "./memory-fixture.js";
import type { ScriptedAnswer } from "./scripted-openai/index.js";

export const user = (content: string): ChatMessage => ({ role: "user", content });
export const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

/** One token for each character, and 3 for each message. */
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

/** Ten rounds: 500 tokens. */
export const NUMBERS = Array.from({ length: 10 }, (_, n) => [
  user(`q${n}${"x".repeat(40)}`),
  assistant(`a${n}`),
]).flat();

/** A window on a conversation of these messages, and what it tells of its compactions. */
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
