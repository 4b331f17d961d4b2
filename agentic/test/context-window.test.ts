import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import type { ContextEvent } from "../src/context/index.js";
import {
  type ChatMessage,
  type ContextOptions,
  ContextWindow,
  type Conversation,
  openConversation,
} from "../src/index.js";
import { startMemory } from "./memory-fixture.js";
import { startModel } from "./model-fixture.js";
import { assistant, NUMBERS, openWindow, SUMMARY, tokenCounter, user } from "./window-fixture.js";

const call = (id: string): ChatMessage => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, name: "search", arguments: "{}" }],
});
const result = (id: string, content: string): ChatMessage => ({
  role: "tool",
  content,
  tool_call_id: id,
  name: "search",
});

const texts = (messages: readonly ChatMessage[]) => messages.map(({ content }) => content);
const bytesOf = async (conversation: Conversation) => JSON.stringify(await conversation.get());

describe("a context that is small enough", () => {
  it("equals the conversation, without events", async () => {
    const { window, events } = await openWindow({}, NUMBERS);
    expect(await window.messages()).toEqual(NUMBERS);
    expect(await window.compactIfNeeded()).toBeUndefined();
    expect(events).toEqual([]);
  });

  it("has no tool result without its call", async () => {
    const { window } = await openWindow({}, [result("gone", "x"), user("1"), call("c"), result("c", "y")]);
    expect(await window.messages()).toEqual([user("1"), call("c"), result("c", "y")]);
  });

  it("returns copies", async () => {
    const { window } = await openWindow({}, [user("1")]);
    const [message] = await window.messages();
    (message as { content: string }).content = "changed";
    expect(await window.messages()).toEqual([user("1")]);
  });
});

describe("results of tools", () => {
  const LONG = `${"word ".repeat(200)}needle ${"word ".repeat(200)}`;
  const LATEST = "x".repeat(1_200);
  const history = [
    user("find"),
    call("c1"),
    result("c1", LONG),
    user("again"),
    call("c2"),
    result("c2", LATEST),
  ];
  const options = {
    thresholdTokens: 3_000,
    toolResultTokensMax: 100,
    offloadTokensMin: 500,
    offloadPreviewLength: 10,
  };

  it("are cut before the newest round if that saves enough", async () => {
    const { window, conversation, events } = await openWindow(options, history);
    const before = await bytesOf(conversation);
    const messages = await window.messages();
    expect((messages[2]!.content as string).length).toBeLessThanOrEqual(100);
    expect(messages[2]!.content).toMatch(/word \[truncated\]$/);
    expect(messages[5]).toEqual(history[5]);
    expect(events).toMatchObject([
      { status: "started", reason: "threshold", conversation: "c1", before: { messages: 6 } },
      { status: "completed", stages: ["tool_truncation"] },
    ]);
    expect(await bytesOf(conversation)).toBe(before);
  });

  it("are offloaded with a note, and can be reloaded by key and by query", async () => {
    const { window, conversation } = await openWindow(
      { ...options, excludedProcessors: ["tool_truncation"] },
      history,
    );
    const pointed = (await window.messages())[2]!.content as string;
    expect(pointed).toMatch(/^word word \.\.\.\n\[offloaded: 2007 bytes, key [0-9a-f]{32}\. Reload it/);
    const [key] = /[0-9a-f]{32}/.exec(pointed)!;
    const [whole] = await window.reload(`key ${key}`);
    expect(whole).toMatchObject({ key, tool: "search", text: LONG, part: 0, parts: 1 });
    const [found] = await window.reload("needle", { limit: 1 });
    expect(found).toMatchObject({ key, message: whole!.message });
    expect(found!.text).toContain("needle");
    expect(await window.reload("f".repeat(32))).toEqual([]);
    const [, , raw] = await conversation.messages();
    expect(raw).toEqual(history[2]);
  });

  it("that take many parts can be reloaded whole and found by any word", async () => {
    const words = Array.from({ length: 6_000 }, (_, n) => `word${n}`).join(" ");
    const { window } = await openWindow(
      { thresholdTokens: 10_000, excludedProcessors: ["tool_truncation"] },
      [user("find"), call("c1"), result("c1", words), assistant("done")],
    );
    const pointed = (await window.messages())[2]!.content as string;
    const [whole] = await window.reload(/[0-9a-f]{32}/.exec(pointed)![0]);
    expect(whole!.text).toBe(words);
    for (const word of ["word0", "word3210", "word5999"]) {
      const [found] = await window.reload(word, { limit: 1 });
      expect(` ${found!.text} `).toContain(` ${word} `);
    }
  });

  it("that are larger than an entry can be reloaded whole, or in parts if one is missing", async () => {
    const words = "word ".repeat(60_000);
    const { window, memory } = await openWindow(
      { thresholdTokens: 100_000, excludedProcessors: ["tool_truncation"] },
      [user("find"), call("c1"), result("c1", words), assistant("done")],
    );
    const pointed = (await window.messages())[2]!.content as string;
    const [key] = /[0-9a-f]{32}/.exec(pointed)!;
    expect((await window.reload(key)).map(({ text, parts }) => [text === words, parts])).toEqual([[true, 1]]);
    await memory.forget({ namespace: "conversations", keys: [{ offload: `${key}.1` }] });
    const left = await window.reload(key);
    expect(left.map(({ part }) => part)).toEqual([0, ...Array.from({ length: 36 }, (_, n) => n + 2)]);
    expect(left.every(({ parts }) => parts === 38)).toBe(true);
  });

  it("are forgotten together with their message", async () => {
    const { window, conversation } = await openWindow(
      { ...options, excludedProcessors: ["tool_truncation"] },
      history,
    );
    await window.messages();
    expect(await window.reload("needle")).toHaveLength(1);
    await conversation.remove({ indices: [2] });
    expect(await window.reload("needle")).toEqual([]);
  });

  it("in user messages count as results, too", async () => {
    const output = user(`Tool search returned: ${LONG}`);
    const { window } = await openWindow({ ...options, thresholdTokens: 1_500 }, [
      output,
      user("go on"),
      assistant("so"),
    ]);
    const [first] = await window.messages();
    expect(first!.content).toMatch(/^Tool search returned: word.*\[truncated\]$/);
  });
});

describe("a summary", () => {
  const options: ContextOptions = { thresholdTokens: 400 };

  it("replaces the messages before the newest round permanently", async () => {
    const { server, model } = await startModel([SUMMARY]);
    const { window, conversation, events } = await openWindow(options, NUMBERS, model);
    const before = await bytesOf(conversation);
    const [summary, ...rest] = await window.messages();
    expect(summary!.role).toBe("user");
    expect(summary!.content).toContain("They counted &lt;/conversation_summary> far.");
    expect((summary!.content as string).match(/<\/conversation_summary>/g)).toHaveLength(1);
    expect(rest).toEqual([assistant("a9")]);
    expect(await bytesOf(conversation)).toBe(before);
    const all = await conversation.get();
    expect(await conversation.summary()).toMatchObject({
      covers: { from: all[0]!.seq, to: all.at(-2)!.seq },
      level: 1,
      keyFacts: ["one & two"],
    });
    expect(events.at(-1)).toMatchObject({
      stages: ["summarization"],
      cost: { modelCalls: 1, entriesWritten: 1 },
    });
    const other = new ContextWindow(conversation, options, { tokenCounter });
    await conversation.add(user("more"));
    expect(texts(await other.messages()).slice(1)).toEqual(["a9", "more"]);
    expect(server.requests).toHaveLength(1);
  });

  it("is made from all messages in parts, each with the summary of the earlier ones", async () => {
    const { server, model } = await startModel(() => SUMMARY);
    const { window } = await openWindow({ ...options, summaryInputTokensMax: 150 }, NUMBERS, model);
    await window.messages();
    const received = server.requests.map(({ body }) => String(body.messages[0]!.content));
    expect(received.length).toBeGreaterThan(3);
    for (const n of Array(10).keys())
      expect(received.filter((text) => text.includes(`q${n}x`))).toHaveLength(1);
    expect(received[0]).not.toContain("They counted");
    for (const later of received.slice(1)) expect(later).toContain("They counted");
  });

  it("is not made if the model fails: messages are packed, and nothing is written", async () => {
    const { model } = await startModel(() => ({ status: 400, message: "no" }));
    const { window, conversation, events } = await openWindow(options, NUMBERS, model);
    const messages = await window.messages();
    expect(texts(messages).at(-1)).toBe("a9");
    expect(await conversation.summary()).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ status: "completed", stages: ["backward_packing"] });
    expect(events.at(-1)).toMatchObject({
      skipped: [{}, {}, { stage: "summarization" }],
      after: { tokens: 230 },
    });
  });

  it("includes messages that were left out before", async () => {
    const { server, model } = await startModel(() => ({ status: 400, message: "no" }));
    const { window, conversation } = await openWindow(options, NUMBERS, model);
    expect(JSON.stringify(await window.messages())).not.toContain("q0x");
    server.play(() => SUMMARY);
    await conversation.add(NUMBERS);
    await window.messages();
    const received = server.requests.map(({ body }) => String(body.messages[0]!.content)).join();
    for (const n of Array(10).keys()) expect(received.split(`q${n}x`)).toHaveLength(3);
    const [first] = await conversation.get();
    expect((await conversation.summary())!.covers.from).toBe(first!.seq);
  });

  it("is discarded if a message was removed while the model wrote it", async () => {
    const removing: { conversation?: Conversation } = {};
    const { model } = await startModel(async () => {
      await removing.conversation!.remove({ indices: [0] });
      return SUMMARY;
    });
    const { window, conversation, events } = await openWindow(options, NUMBERS, model);
    removing.conversation = conversation;
    await window.messages();
    expect(await conversation.summary()).toBeUndefined();
    expect(events.at(-1)).toMatchObject({
      skipped: [{}, {}, { reason: "the messages were changed concurrently" }],
    });
  });

  it("is discarded if it is not shorter", async () => {
    const summary = Array.from({ length: 60 }, (_, n) => `Step ${n} counted ${n * 7} apples.`).join(" ");
    const { model } = await startModel([{ json: { ...(SUMMARY as { json: object }).json, summary } }]);
    const { window, conversation, events } = await openWindow(options, NUMBERS, model);
    await window.messages();
    expect(await conversation.summary()).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ skipped: [{}, {}, { reason: "the summary is not shorter" }] });
  });

  it("keeps the newest images that the model requests, and ignores invented numbers", async () => {
    const json = { ...(SUMMARY as { json: object }).json, keep_images: [1, 2, 3, 99] };
    const { server, model } = await startModel([{ json }]);
    const pictures = ["a", "b", "c"].map(
      (image): ChatMessage => ({ ...user("x".repeat(700)), images: [`data:${image}`] }),
    );
    const { window } = await openWindow(
      { thresholdTokens: 2_000, imageTokens: 100, retainedImagesMax: 2 },
      [...pictures, assistant("seen")],
      model,
    );
    const [summary] = await window.messages();
    expect(summary!.images).toEqual(["data:b", "data:c"]);
    expect(String(server.requests[0]!.body.messages[0]!.content)).toContain("[image 3]");
  });

  it("is undone by restore", async () => {
    const { model } = await startModel(() => SUMMARY);
    const { window, conversation } = await openWindow(options, NUMBERS, model);
    await window.messages();
    expect(await window.restore()).toEqual({ forgotten: 1 });
    const whole = new ContextWindow(conversation, {}, { tokenCounter });
    expect(await whole.messages()).toEqual(NUMBERS);
  });
});

it("a compaction that cannot store its summary fails and changes nothing", async () => {
  const { memory, stopHost } = await startMemory({ retryTimeoutMs: 0 });
  const { model } = await startModel(async () => {
    await stopHost();
    return SUMMARY;
  });
  const conversation = await openConversation(memory, { id: "c1" });
  await conversation.add(NUMBERS);
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const window = new ContextWindow(conversation, { thresholdTokens: 400 }, { model, tokenCounter, onEvent });
  const error = await rejection(window.messages(), "unavailable");
  expect(events).toMatchObject([{ status: "started" }, { status: "failed", error, cost: { modelCalls: 1 } }]);
  expect(window.stats.compactions).toBe(0);
});

describe("packing", () => {
  it("stays stable until the threshold is exceeded again, and is undone by restore", async () => {
    const { window, conversation, events } = await openWindow({ thresholdTokens: 400 }, NUMBERS);
    const first = await window.messages();
    await conversation.add(assistant("more"));
    expect(await window.messages()).toEqual([...first, assistant("more")]);
    expect(events).toHaveLength(2);
    await window.restore();
    expect((await window.messages()).length).toBe(first.length + 1);
    expect(events).toHaveLength(4);
  });

  it("runs when messages are added, or only on request", async () => {
    const { window, events } = await openWindow({ thresholdTokens: 400, triggers: ["add"] }, NUMBERS);
    expect(await window.messages()).toHaveLength(20);
    await window.add(user("more"));
    expect(events).toHaveLength(2);
    const manual = await openWindow({ thresholdTokens: 400, triggers: [] }, NUMBERS);
    await manual.window.add(user("more"));
    expect(await manual.window.messages()).toHaveLength(21);
    expect(await manual.window.compactIfNeeded()).toMatchObject({ stages: ["backward_packing"] });
    expect(manual.window.stats).toMatchObject({ compactions: 1, counted: 21, misses: 21 });
  });

  it("reads only the newest part of a long conversation, with a user message", async () => {
    const long = Array.from({ length: 3_000 }, (_, n) => assistant(`a${n}`));
    const { window } = await openWindow({ thresholdTokens: 400 }, [user("the task"), ...long]);
    const messages = await window.messages();
    expect(texts(messages)[0]).toBe("the task");
    expect(texts(messages).at(-1)).toBe("a2999");
    expect(window.stats.counted).toBeLessThan(300);
  });

  it("by a sliding window has no gaps", async () => {
    const { window, events } = await openWindow({ mode: "sliding_window", thresholdTokens: 200 }, NUMBERS);
    expect(texts(await window.messages())).toEqual(texts(NUMBERS.slice(-7)));
    expect(events.at(-1)).toMatchObject({ stages: ["sliding_window"], after: { tokens: 155 } });
    expect(window.targetTokens).toBe(180);
  });
});

it.each([
  [{ thresholdTokens: 0 }, "thresholdTokens"],
  [{ processors: ["packing"] }, "processors[0]"],
  [{ processors: ["offload", "offload"] }, "processors"],
  [{ treshold: 1 }, "unknown option"],
])("refuses %j", async (options, message) => {
  const { conversation } = await openWindow({}, []);
  expect(() => new ContextWindow(conversation, options as never)).toThrow(message);
});
