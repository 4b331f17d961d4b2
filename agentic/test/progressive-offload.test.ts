import { describe, expect, it } from "vitest";
import { type ChatMessage, ProgressiveMemory } from "../src/index.js";
import { call, countsByKind, hostInMemory, stored } from "./progressive-fixture.js";

const LONG = `Flight KL 1234 leaves at nine. ${"x".repeat(5_000)}`;
const MESSAGES: readonly ChatMessage[] = [
  { role: "system", content: "Be brief" },
  { role: "user", content: "I'm travelling to Oslo" },
  { role: "assistant", content: null, tool_calls: [{ id: "c1", name: "flights", arguments: "{}" }] },
  { role: "tool", name: "flights", tool_call_id: "c1", content: LONG, extra: { kept: true } },
  { role: "user", content: "Thanks" },
];

describe("offload and reload", () => {
  it("leave a pointer line, keep roles and calls, and restore the text", async () => {
    const memory = new ProgressiveMemory(await hostInMemory());
    const { messages, offloadIds, cost } = await memory.offload(MESSAGES, { keepRecent: 1, bytesMin: 100 });
    expect(messages.filter((_, index) => index !== 3)).toEqual(MESSAGES.filter((_, index) => index !== 3));
    expect(messages[3]).toMatchObject({ role: "tool", tool_call_id: "c1" });
    expect(messages[3]!.content).toMatch(
      new RegExp(
        `^\\[offloaded ${offloadIds[0]}: 5031 bytes; begins: Flight KL 1234 leaves at nine\\. x+\\]$`,
      ),
    );
    expect(cost).toMatchObject({ modelCalls: 0, entriesWritten: 1 });
    const byQuery = await memory.reload({ query: "When does the flight leave?", limit: 3 });
    expect(byQuery.results.map(({ message }) => message)).toEqual([MESSAGES[3]]);
    const byId = await memory.reload({ ids: ["0".repeat(64), offloadIds[0]!, "m1"] });
    expect(byId.results.map(({ text }) => text)).toEqual([LONG]);
    expect(byId.unknownIds).toEqual(["0".repeat(64), "m1"]);
  });

  it("offload every text by default, once", async () => {
    const client = await hostInMemory();
    const memory = new ProgressiveMemory(client);
    const first = await memory.offload(MESSAGES);
    expect(first.offloadIds).toHaveLength(3);
    expect(await memory.offload(MESSAGES)).toMatchObject({
      messages: first.messages,
      cost: { entriesWritten: 0 },
    });
    const again = await memory.offload(first.messages);
    expect(again).toMatchObject({ messages: first.messages, offloadIds: [] });
    expect(await countsByKind(client)).toEqual({ offload: 3 });
  });

  it("change nothing if a text cannot be stored", async () => {
    const client = await hostInMemory();
    const memory = new ProgressiveMemory(client);
    const messages: ChatMessage[] = [MESSAGES[1]!, { role: "user", content: "y".repeat(300_000) }];
    await expect(memory.offload(messages)).rejects.toMatchObject({ code: "too_large" });
    expect(await stored(client)).toEqual([]);
  });

  it("reject unknown options", async () => {
    const memory = new ProgressiveMemory(await hostInMemory());
    await expect(memory.offload([])).rejects.toThrow(TypeError);
    await expect(memory.offload(MESSAGES, { keep: 1 } as never)).rejects.toThrow(TypeError);
    await expect(memory.reload({ query: "x", ids: ["y"] })).rejects.toThrow(TypeError);
  });
});

async function filled() {
  const client = await hostInMemory();
  const memory = new ProgressiveMemory(client);
  for (const memoryTarget of ["alice", "bob"]) {
    const binding = { memoryType: "personal", memoryTarget } as const;
    const messages: ChatMessage[] = [{ role: "user", content: `${memoryTarget} speaks` }];
    await memory.summarize({ messages, targets: [memoryTarget] });
    await call(memory, "add_meta_memory", {
      meta_memories: [{ memory_type: "personal", memory_target: memoryTarget }],
    });
    await call(memory, "add_memory", { memories: [{ memory_content: "Likes tea" }] }, { binding });
  }
  await memory.summarize({ messages: [{ role: "user", content: "Both speak" }], targets: ["alice", "bob"] });
  return { client, memory };
}

describe("listMemories and deleteAllMemories", () => {
  it("apply to the given targets", async () => {
    const { client, memory } = await filled();
    const listed = await memory.listMemories({ targets: ["alice"] });
    expect(listed).toMatchObject([
      { memoryType: "personal", memoryTarget: "alice", text: "Likes tea", score: 1 },
    ]);
    const result = await memory.deleteAllMemories({ targets: ["alice"] });
    expect(result).toMatchObject({ deletedCount: 4, cost: { entriesWritten: 4 } });
    expect(result.sharedConversations).toHaveLength(1);
    expect(await memory.listMemories()).toMatchObject([{ memoryTarget: "bob" }]);
    expect(await countsByKind(client)).toEqual({ fact: 1, target: 1, message: 2, history: 2 });
    expect((await memory.deleteAllMemories({ targets: ["carol"] })).deletedCount).toBe(0);
  });

  it("apply to the whole memory space, and not to other spaces or records", async () => {
    const { client, memory } = await filled();
    await call(memory, "update_identity_memory", { identity_memory: "You are Remy" });
    await client.inNamespace("about/alice").store({ key: "mine", content: 1, tier: "episodic" });
    const other = new ProgressiveMemory(client, { memorySpace: "other" });
    const binding = { memoryType: "personal", memoryTarget: "alice" } as const;
    await call(other, "add_memory", { memories: [{ memory_content: "Likes tea" }] }, { binding });
    await memory.deleteAllMemories();
    expect((await stored(client)).map(({ key }) => key)).toEqual([{ name: "mine" }]);
    expect(await other.listMemories()).toHaveLength(1);
    expect(await memory.retrieve({ query: "tea" })).toMatchObject({ memories: [], targets: [] });
  });
});
