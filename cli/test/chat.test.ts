import { ContextWindow, LongTermMemory, openConversation, streamInWindow } from "@membus/agentic";
import { createLruPlugin } from "@membus/plugin-lru";
import { MemoryError } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { describe, expect, it, onTestFinished } from "vitest";
import { startMemory } from "../../agentic/test/memory-fixture.js";
import { startModel } from "../../agentic/test/model-fixture.js";
import type { ReceivedChat, Script, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";
import { CHAT_WINDOW, Chat } from "../src/chat/chat.js";
import { ChatMemory } from "../src/chat/chat-memory.js";

/** A plugin that fails while `isBroken` is true. */
function breakablePlugin() {
  const state = { isBroken: false };
  const plugin = new Proxy(createLruPlugin(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (state.isBroken && ["onStore", "onRetrieve"].includes(String(name)))
          throw new MemoryError("unavailable", "the disk is away");
        return value.apply(target, args) as unknown;
      };
    },
  }) as MemoryPlugin;
  return { state, plugin };
}

async function openChat(script: Script, { contextTokens = 0 } = {}) {
  const exitCode = process.exitCode;
  onTestFinished(() => {
    process.exitCode = exitCode;
  });
  const { state, plugin } = breakablePlugin();
  const { memory: client } = await startMemory({ retryTimeoutMs: 0 }, plugin);
  const { server, model } = await startModel(script, { contextTokens });
  const conversation = await openConversation(client, { id: "chat" });
  const longTerm = new LongTermMemory(client, { subject: "user" });
  const notes: string[] = [];
  const results: unknown[] = [];
  const output = {
    json: true,
    note: (line: string) => void notes.push(line),
    result: (value: unknown) => void results.push(value),
    piece: () => {},
  };
  const memory = new ChatMemory(conversation, longTerm, output.note);
  const window = new ContextWindow(conversation, CHAT_WINDOW);
  const chat = new Chat({
    memory,
    model,
    longTerm,
    output,
    answerInWindow: (request) => streamInWindow(model, window, request),
  });
  return { chat, state, server, conversation, longTerm, notes, results };
}

const TURNS = Array.from({ length: 20 }, (_, n) => `message ${n}${" and more".repeat(15)}`);
const CONTEXT_TOKENS = 400;

/** Answers like llama-server with a context of `CONTEXT_TOKENS` words. */
function smallContext({ body }: ReceivedChat): ScriptedAnswer {
  if (body.response_format !== undefined) return { text: "no summary" };
  const words = body.messages
    .map(({ content }) => String(content))
    .join(" ")
    .split(/\s+/).length;
  if (words <= CONTEXT_TOKENS) return { text: `answer${" and so on".repeat(10)}` };
  const message = `request (${words} tokens) exceeds the available context size (${CONTEXT_TOKENS} tokens)`;
  return { status: 400, message };
}

const texts = async (conversation: Awaited<ReturnType<typeof openConversation>>) =>
  (await conversation.messages()).map(({ content }) => content);

describe("a conversation beyond the model's context", () => {
  it.each([
    ["reports", { served: true, contextTokens: 0 }],
    ["reveals in its first error", { served: false, contextTokens: 0 }],
    ["does not reveal, and the flag gives,", { served: false, contextTokens: CONTEXT_TOKENS }],
  ])("goes on with the size that the server %s", async (_, { served, contextTokens }) => {
    const { chat, server, conversation, notes, results } = await openChat(smallContext, { contextTokens });
    if (served)
      server.documents.set("/v1/models", { data: [{ id: "scripted", max_model_len: CONTEXT_TOKENS }] });
    for (const text of TURNS) await chat.take(text);
    expect(notes.filter((note) => note.startsWith("failed"))).toEqual([]);
    expect(results).toHaveLength(TURNS.length);
    expect(await conversation.size()).toBe(2 * TURNS.length);
    const last = server.requests.at(-1)!.body.messages;
    expect(last.at(-1)!.content).toBe(TURNS.at(-1));
    expect(last[0]!.role).toBe("system");
  });

  it("answers a message that only fits without the earlier ones, and rejects one that never fits", async () => {
    const { chat, notes, results, conversation } = await openChat(smallContext);
    await chat.take("short");
    await chat.take("long ".repeat(350));
    await chat.take("longer ".repeat(500));
    await chat.take("short again");
    expect(results).toHaveLength(3);
    expect(notes.filter((note) => note.startsWith("failed"))).toEqual([
      expect.stringContaining("exceeds the available context size (400 tokens)"),
    ]);
    expect(await conversation.size()).toBe(6);
  });
});

describe("a message without an answer", () => {
  it.each<[string, ScriptedAnswer, string]>([
    ["an error", { status: 401, message: "wrong key" }, "wrong key"],
    ["a lost stream", { text: "half of this arrives", cutAfter: 2 }, "lost"],
    ["a stream that ends early", { text: "half of this arrives", endAfter: 2 }, "ended before"],
    ["an empty answer", { text: "" }, "empty answer"],
  ])("is not kept after %s, and can be sent again", async (_, answer, reason) => {
    let isBroken = true;
    const { chat, conversation, notes } = await openChat(() => (isBroken ? answer : { text: "Hello" }));
    await chat.take("My cat is called Tom");
    expect(await conversation.size()).toBe(0);
    expect(notes).toEqual([
      expect.stringMatching(
        new RegExp(`^failed: .*${reason}.*\\. The message is not kept: send it again$`, "s"),
      ),
    ]);
    isBroken = false;
    await chat.take("My cat is called Tom");
    expect(await texts(conversation)).toEqual(["My cat is called Tom", "Hello"]);
  });

  it("is not kept if the answer is stopped", async () => {
    const { chat, conversation, notes } = await openChat(() => {
      setImmediate(() => chat.stop());
      return { fault: "no-answer" };
    });
    expect(chat.stop()).toBe(false);
    expect(await chat.take("Hello")).toBe(true);
    expect(notes.at(-1)).toBe("failed: the answer was stopped. The message is not kept: send it again");
    expect(await conversation.size()).toBe(0);
  });
});

describe("a chat without a working memory", () => {
  it("continues with the turns of this process, and stores them when memory works again", async () => {
    const { chat, state, server, conversation, notes, results } = await openChat(({ body }) => ({
      text: `answer ${body.messages.length}`,
    }));
    await chat.take("one");
    state.isBroken = true;
    await chat.take("two");
    await chat.take("three");
    const seen = server.requests.at(-1)!.body.messages.map(({ content }) => content);
    expect(seen.slice(1)).toEqual(["one", "answer 2", "two", "answer 4", "three"]);
    expect(notes).toEqual([
      "memory is not available (unavailable: the disk is away). The chat continues without it.",
    ]);
    expect(results.map((result) => (result as { memory: string }).memory)).toEqual([
      "attached",
      "unavailable",
      "unavailable",
    ]);
    state.isBroken = false;
    await chat.take("four");
    expect(notes.at(-1)).toBe("memory is available again");
    expect(await texts(conversation)).toEqual([
      ...["one", "answer 2", "two", "answer 4", "three", "answer 6", "four", "answer 8"],
    ]);
  });

  it("notices it between the recall and the answer", async () => {
    const { chat, state, longTerm, conversation, notes } = await openChat(() => ({ text: "yes" }));
    const { retrieve } = longTerm;
    longTerm.retrieve = async (...args) => {
      const recall = await retrieve.apply(longTerm, args);
      state.isBroken = true;
      return recall;
    };
    await chat.take("one");
    longTerm.retrieve = retrieve;
    expect(notes).toHaveLength(1);
    state.isBroken = false;
    await chat.take("two");
    expect(await conversation.size()).toBe(4);
  });
});
