import { describe, expect, it } from "vitest";
import { Memory, openaiChatModel } from "../src/index.js";
import { withoutOverlap } from "../src/memory/prompt-context.js";
import { openMemory as openLongTermMemory } from "./long-term-fixture.js";
import { openMemory } from "./memory-fixture.js";

const tea = "Ada prefers tea to coffee.";

describe("Memory", () => {
  it("finds a text that was added about a user, and nothing of another user", async () => {
    const memory = new Memory(await openLongTermMemory());
    await memory.add(tea, { user: "ada" });
    await memory.add("Bob prefers coffee.", { user: "bob" });
    const [found] = await memory.search("tea or coffee", { user: "ada", limit: 1 });
    expect(found?.text).toBe(tea);
    const ofBob = await memory.search("tea or coffee", { user: "bob", limit: 10 });
    expect(ofBob.map(({ text }) => text)).toEqual(["Bob prefers coffee."]);
    await expect(memory.search("tea", { user: "eve" })).resolves.toEqual([]);
    await memory.close();
  });

  it("keeps the messages of a user in order, and adds a message with an id once", async () => {
    const { memory: client } = await openMemory();
    const memory = new Memory(client);
    const message = { role: "user", content: "I prefer tea." } as const;
    await memory.add(
      [
        { id: "m1", message },
        { role: "assistant", content: "Noted." },
      ],
      { user: "ada" },
    );
    await memory.add({ id: "m1", message }, { user: "ada" });
    const history = await memory.history("ada");
    expect(history.map((one) => one.message.content)).toEqual(["I prefer tea.", "Noted."]);
    expect((await memory.history("ada", { last: 1 })).map(({ message }) => message.role)).toEqual([
      "assistant",
    ]);
    expect(await memory.history("bob")).toEqual([]);
  });

  it("writes records that LongTermMemory and Conversation read", async () => {
    const { memory: client } = await openMemory();
    const memory = new Memory(client);
    const added = await memory.add({ role: "user", content: "I prefer tea." }, { user: "ada" });
    expect(added.messageIds).toHaveLength(1);
    const entries = await client.list({ namespace: "**" });
    expect(entries.items.map(({ value }) => value).sort()).toEqual(["about/user:ada", "conversations"]);
    const { entries: stored } = await client.retrieve({ namespace: "conversations" });
    expect(stored[0]?.group).toBe("user:ada");
  });

  it("puts facts, earlier messages and the new message into a context", async () => {
    const memory = new Memory(await openLongTermMemory());
    await memory.add(tea, { user: "ada" });
    await memory.add(
      [
        { role: "user", content: "Hello." },
        { role: "assistant", content: "Hi Ada." },
      ],
      {
        user: "ada",
      },
    );
    const context = await memory.context("ada", [
      { role: "system", content: "You help." },
      { role: "user", content: "Does Ada prefer tea or coffee?" },
    ]);
    expect(context.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(context[0]?.content).toMatch(/^You help\.\n\n<recalled-memories>/);
    expect(context[0]?.content).toContain(tea);
  });

  it("keeps a context within its limit, and refuses messages that exceed it", async () => {
    const { memory: client } = await openMemory();
    const words = (text: string) => text.split(" ").length;
    const memory = new Memory(client, { contextTokensMax: 200 }, { tokenCounter: words });
    const long = Array.from({ length: 40 }, (_, n) => ({
      role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content: `message ${n} ${"word ".repeat(20)}`,
    }));
    await memory.add(long, { user: "ada" });
    const context = await memory.context("ada", [{ role: "user", content: "word" }]);
    const tokens = context.reduce((sum, { content }) => sum + 3 + words(String(content)), 0);
    expect(tokens).toBeLessThanOrEqual(200);
    expect(context.length).toBeGreaterThan(2);
    expect(context.at(-1)?.content).toBe("word");
    const tooLong = [{ role: "user" as const, content: "word ".repeat(300) }];
    await expect(memory.context("ada", tooLong)).rejects.toMatchObject({ code: "too_large" });
  });

  it("does not repeat messages that the program still has", async () => {
    const turn = [
      { role: "user" as const, content: "one" },
      { role: "assistant" as const, content: "two" },
      { role: "user" as const, content: "three" },
    ];
    expect(withoutOverlap([turn[2]!, turn[0]!, turn[1]!], turn)).toEqual([turn[2]]);
    expect(withoutOverlap([], turn)).toEqual([]);
    expect(withoutOverlap([turn[1]!], turn)).toEqual([turn[1]]);
  });

  it("queues messages if the model fails, and stores them nevertheless", async () => {
    const model = openaiChatModel({ model: "m", baseUrl: "http://127.0.0.1:9/v1", timeoutMs: 200 });
    const { memory: client } = await openMemory();
    const memory = new Memory(client, {}, { model });
    const added = await memory.add({ role: "user", content: "I prefer tea." }, { user: "ada" });
    expect(added).toMatchObject({ facts: [] });
    expect(added.queued).toHaveLength(1);
    expect(await memory.history("ada")).toHaveLength(1);
    await memory.close();
  });

  it("rejects an invalid user before it sends anything", async () => {
    const { memory: client, sent } = await openMemory();
    const memory = new Memory(client);
    const name = "must be 1..59 characters";
    await expect(memory.add("x", { user: "" })).rejects.toThrow(name);
    await expect(memory.search("x", { user: "u".repeat(60) })).rejects.toThrow(name);
    await expect(memory.history("")).rejects.toThrow(name);
    await expect(memory.context("", [])).rejects.toThrow(name);
    expect(sent("retrieve") + sent("store")).toBe(0);
  });
});
