import type { MemoryClient } from "@membus/agent-client";
import { Learner, type LearnerOptions, openConversation } from "../src/index.js";
import type { LearnerDependencies } from "../src/learner/index.js";
import { openMemory, requestOf } from "./long-term-fixture.js";
import { startModel } from "./model-fixture.js";
import type { ReceivedChat, Script, ScriptedAnswer } from "./scripted-openai/index.js";

export const SUBJECT = "user:abc123";

/** Returns the texts of the messages of a question, in order. */
export function messageTexts(request: ReceivedChat): string[] {
  const lines = requestOf(request).prompt.split("\n");
  return lines
    .filter((line) => line.startsWith('{"message":'))
    .map((line) => (JSON.parse(line) as { text: string }).text);
}

/** A model that takes the first 300 characters of each message as a fact, and each fact as new. */
export function literal(request: ReceivedChat): ScriptedAnswer {
  const { name, prompt } = requestOf(request);
  if (name === "facts") {
    const facts = messageTexts(request).map((text, n) => ({
      text: text.slice(0, 300),
      message: n + 1,
      category: null,
    }));
    return { json: { facts } };
  }
  const news = prompt.split("\n").filter((line) => line.startsWith('{"news":'));
  const decisions = news.map((_, n) => ({ news: n + 1, outcome: "new", fact: null, text: null }));
  return { json: { decisions } };
}

/** Returns a memory, and learners without a debounce time and with a model that plays `script`. */
export async function openLearning(script: Script = literal) {
  const memory = await openMemory();
  const { server, model } = await startModel(script);
  const learner = (options: Partial<LearnerOptions> = {}, rest: Partial<LearnerDependencies> = {}) =>
    new Learner(memory, { subject: SUBJECT, debounceMs: 0, retryMs: 1, ...options }, { model, ...rest });
  return { memory, server, model, learner };
}

/** Adds user messages to a conversation. */
export async function say(memory: MemoryClient, id: string, ...texts: readonly string[]): Promise<void> {
  const conversation = await openConversation(memory, { id });
  await conversation.add(texts.map((content) => ({ role: "user", content }) as const));
}

/** Returns a promise with its resolve function. */
export function latch<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
