import type { MemoryClient } from "@membus/agent-client";
import { createLruPlugin } from "@membus/plugin-lru";
import { keyHash, type MemoryEntry } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { type ChatMessage, ContextWindow, type Conversation, openConversation } from "../src/index.js";
import { openMemory, startMemory } from "./memory-fixture.js";

const user = (content: string): ChatMessage => ({ role: "user", content });
/** Quotes, a NUL and multi-byte characters, so that parts are cut between any of them. 700 KB as JSON. */
const LONG = 'é"\\\u0000🦊 words '.repeat(30_000);
const OTHER = "other ".repeat(60_000);

async function open(): Promise<{ memory: MemoryClient; conversation: Conversation }> {
  const { memory } = await openMemory();
  return { memory, conversation: await openConversation(memory, { id: "c1" }) };
}

async function stored(memory: MemoryClient, kind: string): Promise<MemoryEntry[]> {
  const where = { field: "metadata.kind", op: "eq", value: kind } as const;
  const found: MemoryEntry[] = [];
  for await (const entry of memory.entries({ namespace: "conversations", where })) found.push(entry);
  return found;
}

const partCount = async (memory: MemoryClient) => (await stored(memory, "part")).length;
const contents = async (conversation: Conversation) =>
  (await conversation.get()).map(({ message }) => message.content);

/** Removes one part of the message, as a tier that evicts entries would. */
async function losePart(memory: MemoryClient): Promise<void> {
  const [part] = await stored(memory, "part");
  await memory.forget({ namespace: "conversations", keys: [part!.key as never] });
}

describe("a message larger than an entry", () => {
  it("is read whole and at its position by every method", async () => {
    const { memory, conversation } = await open();
    const long = { id: "long", marks: ["big"], message: user(LONG) };
    await conversation.add([user("before"), long, user("after")]);
    expect(await contents(conversation)).toEqual(["before", LONG, "after"]);
    expect(await conversation.size()).toBe(3);
    const [byId] = await conversation.get({ ids: ["long"] });
    expect(byId).toMatchObject({ id: "long", marks: ["big"], message: user(LONG) });
    expect(byId!.incomplete).toBeUndefined();
    expect((await conversation.get({ last: 2 }))[0]!.message).toEqual(user(LONG));
    expect((await conversation.search("words")).map(({ id }) => id)).toEqual(["long"]);
    expect((await conversation.search("words"))[0]!.message).toEqual(user(LONG));
    const window = new ContextWindow(conversation, { thresholdTokens: 10_000_000 });
    expect((await window.messages()).map(({ content }) => content)).toEqual(["before", LONG, "after"]);
    const copy = await openConversation(memory, { id: "c2" });
    await copy.loadState(await conversation.state());
    expect(await contents(copy)).toEqual(["before", LONG, "after"]);
  });

  it("has parts that reference their head", async () => {
    const { memory, conversation } = await open();
    await conversation.add({ id: "long", message: user(LONG) });
    const parts = await stored(memory, "part");
    expect(parts.length).toBe(4);
    const head = keyHash({ conversation: "c1", message: "long" });
    for (const part of parts) expect(part).toMatchObject({ sources: [head], group: "c1" });
    await memory.forget({ namespace: "conversations", keys: [{ $hash: head }], cascade: true });
    expect(await partCount(memory)).toBe(0);
  });

  it("leaves no parts after it is replaced, shortened, removed or cleared", async () => {
    const { memory, conversation } = await open();
    await conversation.add([user("first"), { id: "long", message: user(LONG) }]);
    await conversation.replace(1, user(OTHER));
    expect(await partCount(memory)).toBe(3);
    expect(await contents(conversation)).toEqual(["first", OTHER]);
    await conversation.update("long", { content: "short" });
    expect(await partCount(memory)).toBe(0);
    await conversation.update("long", { content: LONG });
    expect(await partCount(memory)).toBe(4);
    await conversation.remove({ ids: ["long"] });
    expect(await partCount(memory)).toBe(0);
    await conversation.add(user(LONG));
    await conversation.clear();
    expect((await memory.retrieve({ namespace: "conversations", limit: 0 })).total).toBe(0);
  });

  it("keeps its parts if only its marks change, or if it is added again", async () => {
    const { memory, conversation } = await open();
    await conversation.add({ id: "long", message: user(LONG) });
    const before = (await stored(memory, "part")).map(({ revision }) => revision);
    await conversation.mark({ to: "seen" });
    const again = [{ id: "long", message: user(OTHER) }, user("next")];
    expect(await conversation.add(again)).toMatchObject({ duplicates: ["long"] });
    expect((await stored(memory, "part")).map(({ revision }) => revision)).toEqual(before);
    expect(await contents(conversation)).toEqual([LONG, "next"]);
    expect((await conversation.get({ mark: "seen" }))[0]!.message).toEqual(user(LONG));
  });

  it("stays with its parts if it is the leading message and all others are cleared", async () => {
    const { memory, conversation } = await open();
    await conversation.add([{ role: "system", content: LONG }, user(OTHER)]);
    await conversation.clear({ keepSystem: true });
    expect(await contents(conversation)).toEqual([LONG]);
    expect(await partCount(memory)).toBe(4);
  });

  it("loses no part to a concurrent writer of the same id", async () => {
    const { memory, conversation } = await open();
    await conversation.add({ id: "long", message: user("0") });
    const others = Array.from({ length: 3 }, () => openConversation(memory, { id: "c1" }));
    const texts = [LONG, OTHER, LONG];
    for (let round = 0; round < 3; round++) {
      const edits = others.map(async (other, n) => (await other).update("long", { content: texts[n]! }));
      await Promise.all(edits);
      const [read] = await conversation.get();
      expect(read!.incomplete).toBeUndefined();
      expect(texts).toContain(read!.message.content);
    }
  });
});

describe("a message with a missing part", () => {
  it("is marked as incomplete, and can be replaced and removed but not marked or saved", async () => {
    const { memory, conversation } = await open();
    await conversation.add([user("first"), { id: "long", message: user(LONG) }]);
    await losePart(memory);
    const [, broken] = await conversation.get();
    expect(broken).toMatchObject({ id: "long", incomplete: true, message: { role: "user" } });
    expect(broken!.message.content).toMatch(/^é"\\\0🦊 words .*\n\[this message is incomplete: parts/s);
    expect(String(broken!.message.content).length).toBeLessThan(66_000);
    await rejection(conversation.mark({ to: "seen" }), "memory_not_found");
    await rejection(conversation.update("long", { name: "bob" }), "memory_not_found");
    await rejection(conversation.state(), "memory_not_found");
    await conversation.replace(1, user(OTHER));
    expect(await contents(conversation)).toEqual(["first", OTHER]);
    await losePart(memory);
    await conversation.remove({ ids: ["long"] });
    expect((await memory.retrieve({ namespace: "conversations", limit: 0 })).total).toBe(1);
  });
});

describe("a message of any size", () => {
  it("is read byte for byte", async () => {
    const { memory, conversation } = await open();
    const text = fc.tuple(
      fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 400_000 }),
    );
    await fc.assert(
      fc.asyncProperty(text, async ([unit, length]) => {
        const content = unit.toWellFormed().repeat(Math.ceil(length / unit.length));
        await conversation.add(user(content));
        expect((await contents(conversation))[0] === content).toBe(true);
        await conversation.clear();
        expect((await memory.retrieve({ namespace: "conversations", limit: 0 })).total).toBe(0);
      }),
      { numRuns: 12, examples: [[["a", 262_144]], [["🦊", 3_000_000]]] },
    );
  });
});

describe("a host without support for sources", () => {
  it("stores parts without sources", async () => {
    const { memory } = await startMemory({}, withoutSources(createLruPlugin()));
    const conversation = await openConversation(memory, { id: "c1" });
    await conversation.add([user("first"), user(LONG)]);
    await conversation.replace(0, user(OTHER));
    expect(await contents(conversation)).toEqual([OTHER, LONG]);
    for (const part of await stored(memory, "part")) expect(part.sources).toBeUndefined();
    await conversation.remove({ indices: [0, 1] });
    expect((await memory.retrieve({ namespace: "conversations", limit: 0 })).total).toBe(0);
  });
});

/** Returns a plugin of version 1.0, without the features in its manifest. */
function withoutSources(plugin: MemoryPlugin): MemoryPlugin {
  const { manifest } = plugin;
  const { sources: _, cascade: __, ...features } = manifest.features;
  return new Proxy(plugin, {
    get(target, name) {
      if (name === "manifest") return { ...target.manifest, features: { ...features } };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
