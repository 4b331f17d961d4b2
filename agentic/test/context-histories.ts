import fc from "fast-check";
import { expect } from "vitest";
import type { ContextEvent } from "../src/context/index.js";
import {
  type ChatMessage,
  type ContextOptions,
  ContextWindow,
  type Conversation,
  type ConversationMessage,
  openConversation,
} from "../src/index.js";
import { openMemory } from "./memory-fixture.js";
import { startModel } from "./model-fixture.js";

/** Counter for words that occur in one result only, so that a search for them has one match. */
let needles = 0;

const length = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 3_000 }));

/** Texts with emoji, which must not be cut in two. */
const text = length.map((size) => "ab 😀 ".repeat(size / 6));

/** A turn of a conversation, with calls that are answered late, never, or without a call. */
interface Turn {
  readonly kind: "user" | "assistant" | "system" | "image" | "calls" | "answer" | "stray";
  readonly text: string;
  readonly pick: number;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  kind: fc.constantFrom(
    "user",
    "assistant",
    "system",
    "image",
    "calls",
    "calls",
    "answer",
    "answer",
    "answer",
    "stray",
  ),
  text,
  pick: fc.nat(7),
});

const turns = fc.array(turn, { minLength: 0, maxLength: 24 });

const options: fc.Arbitrary<ContextOptions> = fc.record(
  {
    thresholdTokens: fc.integer({ min: 50, max: 4_000 }),
    minReductionRatio: fc.constantFrom(0, 0.1, 0.4, 0.9),
    mode: fc.constantFrom("compaction" as const, "compaction" as const, "sliding_window" as const),
    graceRounds: fc.integer({ min: 1, max: 3 }),
    toolResultTokensMax: fc.integer({ min: 1, max: 400 }),
    offloadTokensMin: fc.integer({ min: 20, max: 400 }),
    offloadPreviewLength: fc.constantFrom(0, 10, 200),
    excludedProcessors: fc.subarray(["tool_truncation", "offload", "summarization"] as const),
    imageTokens: fc.constantFrom(0, 50),
  },
  { requiredKeys: ["thresholdTokens", "offloadTokensMin"] },
);

function messagesOf(script: readonly Turn[]): ChatMessage[] {
  const open: string[] = [];
  return script.map(({ kind, text, pick }, n): ChatMessage => {
    const answers = kind === "answer" ? open[pick % Math.max(open.length, 1)] : undefined;
    if (kind === "calls") {
      const tool_calls = Array.from({ length: (pick % 3) + 1 }, (_, c) => `call_${pick % 2 ? n : 0}_${c}`);
      open.push(...tool_calls);
      return {
        role: "assistant",
        content: text,
        tool_calls: tool_calls.map((id) => ({ id, name: "f", arguments: "{}" })),
      };
    }
    if (kind === "stray") return { role: "tool", content: text, tool_call_id: `nobody_${n}` };
    if (answers !== undefined) {
      return { role: "tool", content: `needle${needles++}x ${text}`, tool_call_id: answers, name: "f" };
    }
    if (kind === "image") return { role: "user", content: text, images: [`data:${n}`] };
    return { role: kind === "assistant" || kind === "system" ? kind : "user", content: text };
  });
}

const tokenCounter = (words: string) => Math.ceil(words.length / 4);

const SUMMARY = { user_requests: "r", summary: "s", key_facts: [], open_threads: [], keep_images: [1] };

/**
 * Checks the guarantees of a window on `numRuns` generated histories, each with and without further messages.
 */
export async function expectPromises(numRuns: number): Promise<void> {
  const { memory } = await openMemory();
  const { model } = await startModel(() => ({ json: SUMMARY }));
  let run = 0;
  const property = fc.asyncProperty(
    turns,
    turns,
    options,
    fc.boolean(),
    async (first, more, chosen, summarises) => {
      const conversation = await openConversation(memory, { id: `c${run++}` });
      // The window and the expectation use the same counter.
      const events: ContextEvent[] = [];
      const onEvent = (event: ContextEvent) => events.push(event);
      const window = new ContextWindow(conversation, chosen, {
        tokenCounter,
        onEvent,
        ...(summarises && { model }),
      });
      for (const script of [first, more]) {
        if (script.length > 0) await conversation.add(messagesOf(script));
        events.length = 0;
        await expectView(window, conversation, events);
      }
      await conversation.clear();
    },
  );
  await fc.assert(property, { numRuns });
}

async function expectView(
  window: ContextWindow,
  conversation: Conversation,
  events: readonly ContextEvent[],
): Promise<void> {
  const before = await conversation.get();
  const messages = await window.messages();
  expect(await conversation.get()).toEqual(before);
  expectCallsOfResults(messages);
  const kept = expectProtected(messages, before, window.options.graceRounds);
  const tokens = messages.reduce((sum, message) => sum + tokensOf(message, window), 0);
  const keptTokens = kept.reduce((sum, message) => sum + tokensOf(message, window), 0);
  const target = events.length > 0 ? window.targetTokens : window.options.thresholdTokens;
  if (tokens > target) expect(tokens).toBeLessThanOrEqual(keptTokens);
  for (const message of messages) expect(String(message.content).isWellFormed()).toBe(true);
  await expectReload(window, messages, before);
}

function expectCallsOfResults(messages: readonly ChatMessage[]): void {
  const received = new Set<string>();
  for (const { role, tool_calls = [], tool_call_id } of messages) {
    for (const { id } of tool_calls) received.add(id);
    if (role === "tool") expect(received).toContain(tool_call_id);
  }
}

/**
 * @returns the messages that must be present: the leading system message, the newest rounds, one user
 * message.
 */
function expectProtected(
  messages: readonly ChatMessage[],
  all: readonly ConversationMessage[],
  rounds: number,
): ChatMessage[] {
  const raw = withCalls(all.map(({ message }) => message));
  const system = all[0]?.message.role === "system" ? [all[0].message] : [];
  const rest = raw.slice(system.length);
  const tail = rest.slice(tailStart(rest, rounds));
  expect(messages.slice(0, system.length)).toEqual(system);
  expect(tail.length === 0 ? [] : messages.slice(-tail.length)).toEqual(tail);
  if (raw.some(({ role }) => role === "user"))
    expect(messages.some(({ role }) => role === "user")).toBe(true);
  const user = tail.some(({ role }) => role === "user")
    ? []
    : messages.filter(({ role }) => role === "user").slice(-1);
  return [...system, ...user, ...tail];
}

/**
 * Independent implementation: the n-th newest assistant message, extended to the calls of all later results.
 */
function tailStart(raw: readonly ChatMessage[], rounds: number): number {
  const texts = raw.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  let start = texts.at(-rounds) ?? 0;
  for (let index = raw.length - 1; index >= start; index--) {
    if (raw[index]!.role === "tool") start = Math.min(start, callOf(raw, index));
  }
  return start;
}

function callOf(raw: readonly ChatMessage[], index: number): number {
  const id = raw[index]!.tool_call_id;
  return raw
    .slice(0, index)
    .findLastIndex(({ tool_calls = [] }) => tool_calls.some((call) => call.id === id));
}

function withCalls(raw: readonly ChatMessage[]): ChatMessage[] {
  return raw.filter(({ role }, index) => role !== "tool" || callOf(raw, index) >= 0);
}

function tokensOf(message: ChatMessage, window: ContextWindow): number {
  const { content, name, tool_calls = [], tool_call_id, images = [] } = message;
  const calls = tool_calls.reduce(
    (sum, call) => sum + 5 + tokenCounter(call.name) + tokenCounter(call.arguments),
    0,
  );
  const answer = tool_call_id === undefined ? 0 : 10;
  const named = name === undefined ? 0 : tokenCounter(name);
  return (
    3 + tokenCounter(String(content)) + named + calls + answer + images.length * window.options.imageTokens
  );
}

/** Expects that every offloaded text can be reloaded by its key, and found by a unique word. */
async function expectReload(
  window: ContextWindow,
  messages: readonly ChatMessage[],
  all: readonly ConversationMessage[],
): Promise<void> {
  for (const { content } of messages) {
    const key = /\[offloaded: \d+ bytes, key ([0-9a-f]{32});/.exec(String(content))?.[1];
    if (key === undefined) continue;
    const [whole] = await window.reload(key);
    const raw = all.find(({ id }) => id === whole!.message)!;
    expect(whole!.text).toBe(raw.message.content);
    const [word] = /^needle\d+x/.exec(whole!.text)!;
    expect((await window.reload(word, { limit: 1 })).map((found) => found.key)).toEqual([key]);
  }
}
