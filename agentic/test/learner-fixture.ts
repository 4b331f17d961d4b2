import type { MemoryClient } from "@membus/agent-client";
import { Learner, type LearnerDependencies, type LearnerOptions, openConversation } from "../src/index.js";
import { askedFor, openMemory } from "./long-term-fixture.js";
import { startModel } from "./model-fixture.js";
import type { ReceivedChat, Script, ScriptedAnswer } from "./scripted-openai/index.js";

export const ABOUT = "user:abc123";

/** What the messages of a question say, in their order. */
export function saidIn(request: ReceivedChat): string[] {
  const lines = askedFor(request).prompt.split("\n");
  return lines
    .filter((line) => line.startsWith('{"message":'))
    .map((line) => (JSON.parse(line) as { text: string }).text);
}

/** A model that takes each message for a fact, and each fact for a new one. */
export function literal(request: ReceivedChat): ScriptedAnswer {
  const { name, prompt } = askedFor(request);
  if (name === "facts") {
    const facts = saidIn(request).map((text, n) => ({ text, messages: [n + 1], category: null }));
    return { json: { facts } };
  }
  const news = prompt.split("\n").filter((line) => line.startsWith('{"news":'));
  const decisions = news.map((_, n) => ({ news: n + 1, outcome: "new", fact: null, text: null }));
  return { json: { decisions } };
}

/** A memory, and learners whose model plays `script`; nothing needs to be quiet. */
export async function openLearning(script: Script = literal) {
  const memory = await openMemory();
  const { server, model } = await startModel(script);
  const learner = (options: Partial<LearnerOptions> = {}, rest: Partial<LearnerDependencies> = {}) =>
    new Learner(memory, { about: ABOUT, debounceMs: 0, retryMs: 1, ...options }, { model, ...rest });
  return { memory, server, model, learner };
}

/** Adds what the user says to a conversation. */
export async function say(memory: MemoryClient, id: string, ...texts: readonly string[]): Promise<void> {
  const conversation = await openConversation(memory, { id });
  await conversation.add(texts.map((content) => ({ role: "user", content }) as const));
}

/** A promise, and what resolves it. */
export function latch<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
