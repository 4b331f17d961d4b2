import { LIMITS } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { type ChatMessage, type Conversation, openConversation } from "../src/index.js";
import { openMemory } from "./memory-fixture.js";

const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

async function open(description = ""): Promise<Conversation> {
  const { memory } = await openMemory();
  return openConversation(memory, { id: "c1", description });
}

const contents = async (conversation: Conversation) =>
  (await conversation.get()).map(({ message }) => message.content);

describe("adding", () => {
  it("keeps the order of arrival, in one call and over several", async () => {
    const conversation = await open();
    await conversation.add([user("1"), assistant("2"), user("3")]);
    await conversation.add(assistant("4"));
    expect(await contents(conversation)).toEqual(["1", "2", "3", "4"]);
    expect(await conversation.size()).toBe(4);
  });

  it("adds an id once and reports a duplicate, even with another message", async () => {
    const conversation = await open();
    const first = await conversation.add({ id: "m", message: user("first") });
    expect(first).toMatchObject({ ids: ["m"], duplicates: [], cost: { entriesWritten: 1, modelCalls: 0 } });
    const again = await conversation.add([{ id: "m", message: user("second") }, user("other")]);
    expect(again).toMatchObject({ duplicates: ["m"], cost: { entriesWritten: 1 } });
    expect(await contents(conversation)).toEqual(["first", "other"]);
  });

  it("adds the first of two messages in one call that share an id", async () => {
    const conversation = await open();
    const twice = [user("1"), user("2")].map((message) => ({ id: "m", message }));
    expect(await conversation.add(twice)).toMatchObject({ ids: ["m", "m"], duplicates: ["m"] });
    expect(await contents(conversation)).toEqual(["1"]);
  });

  it("adds all messages in order with allowDuplicates, under new ids if necessary", async () => {
    const conversation = await open();
    await conversation.add({ id: "m", message: user("0") });
    const three = ["1", "2", "3"].map((content, n) => ({ id: n === 1 ? "x" : "m", message: user(content) }));
    const { ids, duplicates } = await conversation.add(three, { allowDuplicates: true });
    expect(duplicates).toEqual(["m", "m"]);
    expect(ids[1]).toBe("x");
    expect(new Set(["m", ...ids]).size).toBe(4);
    expect(await contents(conversation)).toEqual(["0", "1", "2", "3"]);
  });

  it("adds none of several messages if the fields of one, apart from its content, are too large", async () => {
    const conversation = await open();
    const marks = Array.from({ length: 64 }, (_, n) => `${n}${"é".repeat(2_046)}`);
    const large = { marks, message: user("x".repeat(LIMITS.entryBytes)) };
    const error = await rejection(conversation.add([user("small"), large]), "too_large");
    expect(error.detail).toMatchObject({ max: 262_144 });
    expect(await conversation.size()).toBe(0);
  });

  it.each([
    ["an invalid role", { role: "robot", content: "x" }],
    ["no content", { role: "user" }],
    ["a wrong id", { id: "", message: { role: "user", content: "x" } }],
    ["a wrong mark", { marks: [""], message: { role: "user", content: "x" } }],
  ])("refuses %s", async (_, message) => {
    await expect((await open()).add(message as never)).rejects.toThrow(TypeError);
  });

  it("returns all fields of a message, including unknown ones", async () => {
    const conversation = await open();
    const message: ChatMessage = {
      role: "assistant",
      content: [
        { type: "text", text: "é😀" },
        { type: "image_url", image_url: { url: "data:," } },
      ],
      name: "helper",
      tool_calls: [{ id: "call_1", name: "search", arguments: "{", extra: 1 }],
      agent_calls: [{ agent_name: "x", request: "y" }],
      structured: { a: [1, null] },
      images: ["a.png"],
      reasoning: [{ type: "thinking", signature: "s" }],
      vendor_field: { kept: true },
    };
    const answer: ChatMessage = { role: "tool", content: "found", tool_call_id: "call_1", name: "search" };
    await conversation.add([message, answer]);
    expect(await conversation.messages()).toEqual([message, answer]);
  });

  it("accepts and returns copies", async () => {
    const conversation = await open();
    const message = { role: "user" as const, content: [{ type: "text", text: "said" }] };
    const adding = conversation.add(message);
    message.content[0]!.text = "changed";
    await adding;
    const [got] = await conversation.get();
    (got!.message.content as { text?: unknown }[])[0]!.text = "changed";
    expect(await contents(conversation)).toEqual([[{ type: "text", text: "said" }]]);
  });
});

describe("reading", () => {
  async function filled(): Promise<Conversation> {
    const conversation = await open();
    await conversation.add([
      { id: "a", message: user("1"), marks: ["x"] },
      { id: "b", message: assistant("2"), marks: ["x", "y"] },
      { id: "c", message: user("3") },
      { id: "d", message: assistant("4"), marks: ["y"] },
    ]);
    return conversation;
  }

  it.each([
    [{}, "abcd"],
    [{ last: 2 }, "cd"],
    [{ last: 0 }, ""],
    [{ last: 9 }, "abcd"],
    [{ role: "user" }, "ac"],
    [{ role: "assistant", last: 1 }, "d"],
    [{ mark: "x" }, "ab"],
    [{ mark: "x", excludeMark: "y" }, "a"],
    [{ excludeMark: "y" }, "ac"],
    [{ ids: ["d", "none", "a"] }, "ad"],
    [{ ids: [] }, ""],
    [{ ids: ["a", "b", "c"], role: "user", last: 1 }, "c"],
    [{ ids: ["a", "b"], mark: "y" }, "b"],
    [{ ids: ["a", "b"], excludeMark: "y" }, "a"],
  ] as const)("get(%j) is %s", async (options, expected) => {
    const found = await (await filled()).get(options);
    expect(found.map(({ id }) => id).join("")).toBe(expected);
  });

  it("prepends the summary on request", async () => {
    const conversation = await filled();
    expect(await conversation.get({ prependSummary: true })).toHaveLength(4);
    await conversation.setSummary({ text: "they counted", keyFacts: ["up"], openThreads: ["five?"] });
    const [first, ...rest] = await conversation.get({ prependSummary: true, last: 2 });
    expect(first!.message).toEqual({
      role: "user",
      content: "What happened:\nthey counted\n\nFacts to keep:\n- up\n\nOpen:\n- five?",
    });
    expect(rest).toHaveLength(2);
    expect(await conversation.get()).toHaveLength(4);
  });

  it("reads 100 messages, and the last 100 of many, in at most 3 requests", async () => {
    const { memory, sent } = await openMemory();
    const conversation = await openConversation(memory, { id: "c1" });
    await conversation.add(Array.from({ length: 300 }, (_, n) => user(`${n} ${"x".repeat(5_000)}`)));
    const before = sent("retrieve");
    const last = await conversation.get({ last: 100 });
    expect(sent("retrieve") - before).toBeGreaterThan(0);
    expect(sent("retrieve") - before).toBeLessThanOrEqual(3);
    expect(last.map(({ message }) => Number.parseInt(message.content as string, 10))).toEqual(
      Array.from({ length: 100 }, (_, n) => n + 200),
    );
  });

  it("reads all messages over many pages", async () => {
    const conversation = await open();
    await conversation.add(Array.from({ length: 60 }, (_, n) => user(`${n} ${"x".repeat(100_000)}`)));
    const all = await contents(conversation);
    expect(all.map((text) => Number.parseInt(text as string, 10))).toEqual([...Array(60).keys()]);
  });

  it("rejects an unknown option and suggests the nearest one", async () => {
    await expect((await open()).get({ lst: 1 } as never)).rejects.toThrow("did you mean `last`");
  });
});

describe("changing", () => {
  it("updates fields of a message and keeps other fields, marks and position", async () => {
    const conversation = await open();
    await conversation.add([
      { id: "t", message: { role: "tool", content: "old", tool_call_id: "call", other: 1 }, marks: ["m"] },
      user("after"),
    ]);
    const [before] = await conversation.get();
    expect(await conversation.update("t", { content: "new", name: "search" })).toMatchObject({ count: 1 });
    await conversation.update("t", { other: null });
    const [after] = await conversation.get();
    expect(after!.message).toEqual({ role: "tool", content: "new", tool_call_id: "call", name: "search" });
    expect(after).toMatchObject({ id: "t", marks: ["m"], seq: before!.seq });
    expect(after!.revision).toBeGreaterThan(before!.revision);
    expect(await conversation.update("none", { content: "x" })).toMatchObject({ count: 0 });
  });

  it("loses no concurrent change", async () => {
    const conversation = await open();
    await conversation.add({ id: "m", message: user("x") });
    const names = Array.from({ length: 20 }, (_, n) => `field${n}`);
    await Promise.all(names.map((name) => conversation.update("m", { [name]: 1 })));
    await Promise.all(names.map((name) => conversation.mark({ to: name })));
    const [message] = await conversation.get();
    expect(Object.keys(message!.message).sort()).toEqual(["content", "role", ...names].sort());
    expect([...message!.marks].sort()).toEqual(names.sort());
  });

  it("replaces by index, from the start and from the end", async () => {
    const conversation = await open();
    await conversation.add([user("0"), user("1"), user("2")]);
    await conversation.replace(1, assistant("one"));
    await conversation.replace(-1, assistant("two"));
    expect(await contents(conversation)).toEqual(["0", "one", "two"]);
    await expect(conversation.replace(3, user("x"))).rejects.toThrow("no message at index 3");
  });

  it("removes by ids, indices and mark, and returns the count", async () => {
    const conversation = await open();
    const messages = ["a", "b", "c", "d", "e", "f"].map((id) => ({ id, message: user(id) }));
    await conversation.add(messages);
    await conversation.mark({ to: "gone", ids: ["f"] });
    expect(await conversation.remove({ ids: ["a", "none"] })).toMatchObject({ count: 1 });
    expect(await conversation.remove({ indices: [0, -2] })).toMatchObject({ count: 2 });
    expect(await conversation.remove({ mark: "gone" })).toMatchObject({ count: 1 });
    expect(await contents(conversation)).toEqual(["c", "d"]);
    await expect(conversation.remove({ indices: [2] })).rejects.toThrow("no message at index 2");
    await conversation.add({ id: "a", message: user("back") });
    expect(await contents(conversation)).toEqual(["c", "d", "back"]);
  });

  it("forgets the summaries that cover a removed message, and no others", async () => {
    const conversation = await open();
    await conversation.add(["a", "b", "c"].map((id) => ({ id, message: user(id) })));
    const [a, b] = await conversation.get();
    await conversation.setSummary({ text: "a and b", covers: { from: a!.seq, to: b!.seq } });
    await conversation.remove({ ids: ["c"] });
    expect(await conversation.summary()).toMatchObject({ text: "a and b" });
    await conversation.update("b", { content: "other" });
    expect(await conversation.summary()).toBeUndefined();
  });

  it("moves, adds and removes marks", async () => {
    const conversation = await open();
    await conversation.add(
      ["a", "b", "c"].map((id) => ({ id, message: user(id), marks: id === "c" ? [] : ["old"] })),
    );
    const marks = async () => (await conversation.get()).map((message) => message.marks.join());
    expect(await conversation.mark({ from: "old", to: "new", ids: ["a", "c"] })).toMatchObject({ count: 1 });
    expect(await marks()).toEqual(["new", "old", ""]);
    expect(await conversation.mark({ to: "all" })).toMatchObject({ count: 3, cost: { entriesWritten: 3 } });
    expect(await conversation.mark({ to: "all" })).toMatchObject({ count: 0 });
    expect(await conversation.mark({ from: "all" })).toMatchObject({ count: 3 });
    expect(await marks()).toEqual(["new", "old", ""]);
  });
});

describe("clearing", () => {
  it("removes the summary too, and calls the listeners", async () => {
    const conversation = await open("be brief");
    await conversation.add(user("1"));
    await conversation.setSummary({ text: "s" });
    const events: unknown[] = [];
    const off = conversation.onReset((event) => events.push(event));
    expect(await conversation.clear()).toMatchObject({ count: 3 });
    expect(await conversation.size()).toBe(0);
    expect(await conversation.summary()).toBeUndefined();
    off();
    await conversation.clear();
    expect(events).toMatchObject([{ agent: "alice", conversation: "c1", removed: 3 }]);
  });

  it("keeps a leading system message on request, and nothing else", async () => {
    const conversation = await open("be brief");
    await conversation.add([user("1"), { role: "system", content: "later" }]);
    await conversation.clear({ keepSystem: true });
    expect(await contents(conversation)).toEqual(["be brief"]);
    await conversation.clear();
    await conversation.add([user("1"), { role: "system", content: "not leading" }]);
    await conversation.clear({ keepSystem: true });
    expect(await contents(conversation)).toEqual([]);
  });

  it("touches no other conversation", async () => {
    const { memory } = await openMemory();
    const [one, two] = await Promise.all(["c", "c*"].map((id) => openConversation(memory, { id })));
    await one!.add({ id: "m", message: user("1") });
    await two!.add({ id: "m", message: user("2") });
    await one!.clear();
    expect(await contents(two!)).toEqual(["2"]);
  });
});

describe("the description", () => {
  it("comes first even if it was added later, and the last opener's text wins", async () => {
    const { memory } = await openMemory();
    const conversation = await openConversation(memory, { id: "c1" });
    await conversation.add(user("hello"));
    await openConversation(memory, { id: "c1", description: "first" });
    expect(await contents(conversation)).toEqual(["first", "hello"]);
    await openConversation(memory, { id: "c1", description: "second" });
    expect(await contents(conversation)).toEqual(["second", "hello"]);
    expect(await conversation.leadingSystem()).toMatchObject({ id: "description" });
    expect((await conversation.get({ last: 1 })).map(({ message }) => message.content)).toEqual(["hello"]);
  });
});

describe("the tier", () => {
  it.each([
    ["episodic", [1, 0]],
    ["semantic", [1, 1]],
    ["working", [1, 0]],
  ] as const)("%s: visible to its agent, and to other agents only if shared", async (tier, sizes) => {
    const { memory } = await openMemory();
    const [own, others] = await Promise.all(
      [memory, memory.forAgent("bob")].map((view) => openConversation(view, { id: "c1", tier })),
    );
    await own!.add(user("1"));
    expect([await own!.size(), await others!.size()]).toEqual(sizes);
  });

  it("keeps conversations apart", async () => {
    const { memory } = await openMemory();
    const episodic = await openConversation(memory, { id: "c1" });
    const working = await openConversation(memory, { id: "c1", tier: "working" });
    await episodic.add({ id: "m", message: user("1") });
    await working.add({ id: "m", message: user("2") });
    await working.clear();
    expect(await contents(episodic)).toEqual(["1"]);
  });
});

describe("search", () => {
  it("finds messages of this conversation by their content", async () => {
    const { memory } = await openMemory();
    const [one, two] = await Promise.all(["one", "two"].map((id) => openConversation(memory, { id })));
    await one!.add([user("the capital of Peru is Lima"), user("it rains")]);
    await two!.add(user("Lima is large"));
    expect((await one!.search("Lima")).map(({ message }) => message.content)).toEqual([
      "the capital of Peru is Lima",
    ]);
    expect(await one!.search("Lima", { limit: 0 })).toEqual([]);
  });
});
