import { randomUUID } from "node:crypto";
import { InMemoryChatMessageHistory } from "@langchain/core/chat_history";
import {
  AIMessage,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import { RunnableLambda, RunnableWithMessageHistory } from "@langchain/core/runnables";
import type { MemoryClient } from "@membus/agent-client";
import { openConversation } from "@membus/agentic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import { type HistoryOptions, MembusChatMessageHistory } from "../src/langchain/index.js";
import { RealHost } from "./real-host.js";

const host = new RealHost();
let memory: MemoryClient;
beforeAll(async () => {
  await host.start();
  memory = await host.connect({ agent: "alice" });
});
afterAll(() => host.close());

const openHistory = (sessionId: string = randomUUID()) => new MembusChatMessageHistory(memory, { sessionId });
const plain = (messages: readonly BaseMessage[]) =>
  messages.map((message) => ({ ...message.toDict(), isOf: message.constructor.name }));

/** Messages of every type with all fields. */
const MESSAGES: readonly BaseMessage[] = [
  new HumanMessage("hello"),
  new HumanMessage({
    content: [
      { type: "text", text: "look" },
      { type: "image_url", image_url: "data:," },
    ],
    name: "ada",
  }),
  new AIMessage({
    content: "",
    id: "run-1",
    tool_calls: [{ id: "c1", name: "weather", args: { city: "Rome" }, type: "tool_call" }],
    response_metadata: { model: "m", usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
    additional_kwargs: { reasoning: { steps: [1] } },
  }),
  new ToolMessage({ content: "rain", tool_call_id: "c1", artifact: { raw: [1] }, status: "success" }),
  new SystemMessage("be brief"),
  new FunctionMessage({ content: "f", name: "g" }),
  new ChatMessage("as a critic", "critic"),
  new ChatMessage("as an assistant", "assistant"),
];

describe("a history", () => {
  it("returns every message unchanged, also to another client", async () => {
    const sessionId = randomUUID();
    const theirs = new InMemoryChatMessageHistory();
    await theirs.addMessages([...MESSAGES]);
    await openHistory(sessionId).addMessages([...MESSAGES]);
    const other = new MembusChatMessageHistory(await host.connect({ agent: "alice" }), { sessionId });
    expect(plain(await other.getMessages())).toEqual(
      JSON.parse(JSON.stringify(plain(await theirs.getMessages()))),
    );
    const bob = new MembusChatMessageHistory(await host.connect({ agent: "bob" }), { sessionId });
    expect(await bob.getMessages()).toEqual([]);
  });

  it("behaves like LangChain's own history in 300 random operations", async () => {
    const chance = new Chance(1);
    const ours = openHistory();
    const theirs = new InMemoryChatMessageHistory();
    for (let step = 0; step < 300; step++) {
      const choice = chance.int(100);
      for (const history of [ours, theirs]) {
        if (choice < 40) await history.addMessages(MESSAGES.slice(choice % 8, (choice % 8) + (choice % 4)));
        else if (choice < 60) await history.addUserMessage(`said ${step}`);
        else if (choice < 80) await history.addAIMessage(`answered ${step}`);
        else if (choice < 82) await history.clear();
      }
      if (choice >= 82) {
        const expected = JSON.parse(JSON.stringify(plain(await theirs.getMessages())));
        expect(plain(await ours.getMessages())).toEqual(expected);
      }
    }
  });

  it("loses nothing of concurrent writers, and all read the same order", async () => {
    const sessionId = randomUUID();
    const writers = [1, 2, 3, 4].map(() => openHistory(sessionId));
    const add = async (history: MembusChatMessageHistory, writer: number) => {
      for (let n = 0; n < 10; n++)
        await history.addMessages([new HumanMessage(`${writer}.${n}`), new AIMessage("ok")]);
    };
    await Promise.all(writers.map(add));
    const read = await Promise.all(
      writers.map(async (history) => (await history.getMessages()).map(({ text }) => text)),
    );
    expect(read[0]).toHaveLength(80);
    for (const texts of read) expect(texts).toEqual(read[0]);
    for (const writer of [0, 1, 2, 3]) {
      const own = read[0]!.filter((text) => text.startsWith(`${writer}.`));
      expect(own).toEqual(Array.from({ length: 10 }, (_, n) => `${writer}.${n}`));
    }
  });

  it("stores messages of any size, and forgets all of them", async () => {
    const history = openHistory();
    const long = new HumanMessage("a long story. ".repeat(40_000));
    await history.addMessages([long, new AIMessage("I see")]);
    expect((await history.getMessages()).map(({ text }) => text)).toEqual([long.text, "I see"]);
    await history.clear();
    expect(await history.getMessages()).toEqual([]);
  });

  it("rejects a message that LangChain could not read again, and adds nothing", async () => {
    const history = openHistory();
    const messages = [new HumanMessage("hello"), new RemoveMessage({ id: "run-1" })];
    await expect(history.addMessages(messages)).rejects.toThrow("cannot store a message of type remove");
    expect(await history.getMessages()).toEqual([]);
    expect(() => new MembusChatMessageHistory(memory, { sessionId: "" })).toThrow(
      "sessionId must be 1..128 characters, got ",
    );
    expect(() => openHistory("s".repeat(129))).toThrow("sessionId must be 1..128 characters");
    const mistyped = { sessionID: "s" } as unknown as HistoryOptions;
    expect(() => new MembusChatMessageHistory(memory, mistyped)).toThrow("did you mean `sessionId`");
  });
});

describe("a conversation", () => {
  it("of another program is read as a history", async () => {
    const sessionId = randomUUID();
    const conversation = await openConversation(memory, { id: sessionId, description: "be brief" });
    await conversation.add([
      { role: "user", content: "weather?", name: "ada" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", name: "look", arguments: '{"at":"Rome"}' }],
      },
      { role: "assistant", content: "x", tool_calls: [{ id: "c2", name: "look", arguments: "{at" }] },
      { role: "tool", content: "rain", tool_call_id: "c1" },
    ]);
    const messages = await openHistory(sessionId).getMessages();
    expect(messages.map((message) => [message.type, message.text])).toEqual([
      ["system", "be brief"],
      ["human", "weather?"],
      ["ai", ""],
      ["ai", "x"],
      ["tool", "rain"],
    ]);
    expect(messages.flatMap((message) => (message as AIMessage).tool_calls ?? [])).toMatchObject([
      { id: "c1", name: "look", args: { at: "Rome" } },
      { id: "c2", name: "look", args: { arguments: "{at" } },
    ]);
    expect((messages[4] as ToolMessage).tool_call_id).toBe("c1");
  });

  it("stores a history that other programs can read and search", async () => {
    const sessionId = randomUUID();
    await openHistory(sessionId).addMessages([...MESSAGES]);
    const conversation = await openConversation(memory, { id: sessionId });
    const seen = (await conversation.messages()).map(({ role, tool_calls }) => [
      role,
      tool_calls?.[0]?.arguments,
    ]);
    expect(seen).toEqual([
      ["user", undefined],
      ["user", undefined],
      ["assistant", '{"city":"Rome"}'],
      ["tool", undefined],
      ["system", undefined],
      ["tool", undefined],
      ["user", undefined],
      ["assistant", undefined],
    ]);
    expect((await conversation.search("rain"))[0]?.message).toMatchObject({
      content: "rain",
      tool_call_id: "c1",
    });
  });
});

it("works with LangChain's own runnable over several turns", async () => {
  const answer = RunnableLambda.from((prompt: { messages: BaseMessage[] }) => {
    return new AIMessage(prompt.messages.map(({ text }) => text).join(" | "));
  });
  const prompt = ChatPromptTemplate.fromMessages([new MessagesPlaceholder("past"), ["human", "{said}"]]);
  const chain = new RunnableWithMessageHistory({
    runnable: prompt.pipe(answer),
    getMessageHistory: (sessionId: string) => openHistory(sessionId),
    inputMessagesKey: "said",
    historyMessagesKey: "past",
  });
  const config = { configurable: { sessionId: randomUUID() } };
  await chain.invoke({ said: "one" }, config);
  expect((await chain.invoke({ said: "two" }, config)).text).toBe("one | one | two");
});
