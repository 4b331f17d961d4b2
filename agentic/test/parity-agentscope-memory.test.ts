import { beforeEach, describe, expect, it } from "vitest";
import { type ChatMessage, type Conversation, openConversation } from "../src/index.js";
import { openMemory } from "./memory-fixture.js";

let conversation: Conversation;

const user = (content: string): ChatMessage => ({ role: "user", content });
const ids = async () => (await conversation.get()).map(({ id }) => id).join("");

beforeEach(async () => {
  const { memory } = await openMemory();
  conversation = await openConversation(memory, { id: "c" });
});

const abc = ["a", "b", "c"].map((id) => ({ id, message: user(`says ${id}`) }));

describe("AgentScope, MemoryBase", () => {
  it("add", async () => {
    await conversation.add(abc);
    expect(await ids()).toBe("abc");
  });

  it("delete", async () => {
    await conversation.add(abc);
    await conversation.remove({ ids: ["b"] });
    expect(await ids()).toBe("ac");
  });

  it("retrieve", async () => {
    await conversation.add([...abc, { id: "d", message: user("the capital of Peru is Lima") }]);
    expect((await conversation.search("capital Peru", { limit: 1 })).map(({ id }) => id)).toEqual(["d"]);
  });

  it("size", async () => {
    await conversation.add(abc);
    expect(await conversation.size()).toBe(3);
  });

  it("clear", async () => {
    await conversation.add(abc);
    await conversation.clear();
    expect(await conversation.size()).toBe(0);
  });

  it("get_memory", async () => {
    await conversation.add(abc);
    expect(await conversation.messages()).toEqual(abc.map(({ message }) => message));
  });

  it("state_dict, load_state_dict", async () => {
    await conversation.add(abc);
    const state = await conversation.state();
    await conversation.clear();
    await conversation.loadState(JSON.parse(JSON.stringify(state)));
    expect(await ids()).toBe("abc");
  });
});

describe("AgentScope, InMemoryMemory", () => {
  it("__init__(): empty", async () => expect(await conversation.size()).toBe(0));

  it("state_dict() is JSON", async () => {
    await conversation.add(abc);
    const state = await conversation.state();
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    expect(state).toMatchObject({ version: 1, messages: abc });
  });

  it("load_state_dict(strict=True) refuses a state that lacks a key", async () => {
    await expect(conversation.loadState({ messages: [] })).rejects.toThrow(TypeError);
  });

  it("load_state_dict(strict=False) skips missing parts", async () => {
    await conversation.add(abc);
    await conversation.loadState({}, { strict: false });
    expect(await ids()).toBe("abc");
  });

  it("size()", async () => {
    await conversation.add([user("1"), user("2")]);
    expect(await conversation.size()).toBe(2);
  });

  it.each([
    [1, "ac"],
    [-1, "ab"],
    [[0, 2], "b"],
  ])("delete(index=%j)", async (index, left) => {
    await conversation.add(abc);
    await conversation.remove({ indices: [index].flat() });
    expect(await ids()).toBe(left);
  });

  it("add(memories: Msg)", async () => {
    await conversation.add(user("one"));
    expect(await conversation.size()).toBe(1);
  });

  it("add(memories: list)", async () => {
    await conversation.add([]);
    await conversation.add(abc);
    expect(await ids()).toBe("abc");
  });

  it("add(allow_duplicates=False)", async () => {
    await conversation.add(abc);
    await conversation.add(abc);
    expect(await ids()).toBe("abc");
  });

  it("add(allow_duplicates=True)", async () => {
    await conversation.add(abc);
    await conversation.add(abc, { allowDuplicates: true });
    expect(await conversation.messages()).toEqual([...abc, ...abc].map(({ message }) => message));
  });

  it("get_memory() returns copies", async () => {
    await conversation.add(abc);
    const [first] = await conversation.messages();
    (first as { content: string }).content = "changed";
    expect((await conversation.messages())[0]).toEqual(user("says a"));
  });

  it("clear() removes the compressed summary too", async () => {
    await conversation.setSummary({ text: "old" });
    await conversation.clear();
    expect(await conversation.summary()).toBeUndefined();
  });
});

describe("AgentScope 1.0.21, marks and the compressed summary", () => {
  beforeEach(async () => {
    await conversation.add(abc.map((message) => ({ ...message, marks: message.id === "b" ? ["hint"] : [] })));
  });

  it("add(marks)", async () => {
    expect((await conversation.get({ ids: ["b"] }))[0]!.marks).toEqual(["hint"]);
  });

  it("delete(msg_ids) -> the number of deleted messages", async () => {
    expect(await conversation.remove({ ids: ["a", "none"] })).toMatchObject({ count: 1 });
  });

  it("delete_by_mark(mark) -> the number of deleted messages", async () => {
    expect(await conversation.remove({ mark: "hint" })).toMatchObject({ count: 1 });
    expect(await ids()).toBe("ac");
  });

  it("get_memory(mark)", async () => {
    expect((await conversation.get({ mark: "hint" })).map(({ id }) => id)).toEqual(["b"]);
  });

  it("get_memory(exclude_mark)", async () => {
    expect((await conversation.get({ excludeMark: "hint" })).map(({ id }) => id)).toEqual(["a", "c"]);
  });

  it("get_memory(prepend_summary): off by default", async () => {
    await conversation.setSummary({ text: "before" });
    expect(await conversation.get()).toHaveLength(3);
    expect(await conversation.get({ prependSummary: true })).toHaveLength(4);
  });

  it("update_messages_mark(new_mark, old_mark, msg_ids) -> the number of changed messages", async () => {
    expect(await conversation.mark({ to: "compressed", ids: ["a"] })).toMatchObject({ count: 1 });
    expect(await conversation.mark({ from: "hint", to: "compressed" })).toMatchObject({ count: 1 });
    expect(await conversation.mark({ from: "compressed" })).toMatchObject({ count: 2 });
  });

  it("update_compressed_summary(summary)", async () => {
    await conversation.setSummary({ text: "one" });
    await conversation.setSummary({ text: "two" });
    expect(await conversation.summary()).toMatchObject({ text: "two" });
  });
});
