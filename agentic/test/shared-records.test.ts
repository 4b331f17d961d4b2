import { describe, expect, it } from "vitest";
import { LongTermMemory, Memory, ProgressiveMemory } from "../src/index.js";
import { call, hostInMemory } from "./progressive-fixture.js";

describe("LongTermMemory and ProgressiveMemory on the same subject", () => {
  it("finds facts of LongTermMemory in ProgressiveMemory", async () => {
    const client = await hostInMemory();
    await new LongTermMemory(client, { subject: "alice" }).record("Alice owns a boat");
    await new Memory(client).add("Alice likes tea", { user: "alice" });
    const progressive = new ProgressiveMemory(client);
    const all = await progressive.retrieve({ query: "Alice boat tea" });
    expect(all.memories.map(({ text }) => text).sort()).toEqual(["Alice likes tea", "Alice owns a boat"]);
    const one = await progressive.retrieve({ query: "Alice boat tea", targets: ["user:alice"] });
    expect(one.memories.map(({ text, memoryType }) => [text, memoryType])).toEqual([
      ["Alice likes tea", "personal"],
    ]);
    const listed = await progressive.listMemories({ targets: ["alice"] });
    expect(listed.map(({ memoryTarget }) => memoryTarget)).toEqual(["alice"]);
  });

  it("finds memories of ProgressiveMemory in LongTermMemory, updates and forgets them", async () => {
    const client = await hostInMemory();
    const progressive = new ProgressiveMemory(client);
    const memories = [{ memory_content: "Alice works as a nurse" }];
    const personal = { memoryType: "personal", memoryTarget: "user:alice" } as const;
    await call(progressive, "add_memory", { memories }, { binding: personal });
    const procedural = { memoryType: "procedural", memoryTarget: "user:alice" } as const;
    const lessons = [{ when_to_use: "night shifts", memory_content: "Alice prefers short answers" }];
    await call(
      progressive,
      "add_memory",
      { memories: lessons },
      { binding: procedural, options: { addWhenToUse: true } },
    );
    const facts = new LongTermMemory(client, { subject: "user:alice" });
    const { memories: found } = await facts.retrieve("nurse night shifts");
    expect(found.map(({ kind, text }) => [kind, text]).sort()).toEqual([
      ["experience", "Alice prefers short answers"],
      ["fact", "Alice works as a nurse"],
    ]);
    expect(await new Memory(client).search("nurse", { user: "alice" })).toHaveLength(1);
    const nurse = found.find(({ kind }) => kind === "fact")!;
    await facts.update(nurse.id, { text: "Alice works as a doctor" });
    const after = await progressive.retrieve({ query: "Alice works", targets: ["user:alice"] });
    expect(after.memories.map(({ text }) => text)).toContain("Alice works as a doctor");
    expect(after.memories.map(({ text }) => text)).not.toContain("Alice works as a nurse");
    await facts.forget({ all: true });
    expect(await progressive.listMemories()).toEqual([]);
  });
});
