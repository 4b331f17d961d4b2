import { describe, expect, it } from "vitest";
import { type ChatMessage, LongTermMemory, ProgressiveMemory } from "../src/index.js";
import { calling, DONE, hostInMemory, scriptedMemory, stored } from "./progressive-fixture.js";

const MESSAGES: readonly ChatMessage[] = [{ role: "user", content: "I sail." }];

const tasks = (memory_type: string, memory_target: string) =>
  calling("hands_off", { memory_tasks: [{ memory_type, memory_target }] });

describe("a registered agent", () => {
  const hobby = {
    description: "what someone does for fun",
    prompt: "You keep hobbies.",
    storedAs: "personal",
  } as const;

  it("gets tasks of its type, and its memories have the type as category", async () => {
    const { client, memory, requestsOf } = await scriptedMemory({
      summarizer: [tasks("hobby", "alice"), DONE],
      custom: [calling("add_memory", { memories: [{ memory_content: "Alice sails" }] }), DONE],
    });
    memory.registerAgent("hobby", hobby);
    const result = await memory.summarize({ messages: MESSAGES });
    expect(result).toMatchObject({ outcome: "done", failures: [] });
    expect(String(requestsOf("summarizer")[0]!.body.messages[1]!.content)).toContain(
      "hobby (what someone does for fun)",
    );
    const [found] = (await stored(client)).filter(({ metadata }) => metadata?.kind === "fact");
    expect(found!.metadata).toMatchObject({ about: "alice", category: "hobby" });
    const facts = new LongTermMemory(client, { subject: "alice" });
    const { memories } = await facts.retrieve("sails", { category: "hobby" });
    expect(memories.map(({ text }) => text)).toEqual(["Alice sails"]);
  });

  it("reports a failure under its type, and is not run for another type", async () => {
    const { memory } = await scriptedMemory({ summarizer: [tasks("hobby", "alice"), DONE], custom: [] });
    memory.registerAgent("hobby", hobby);
    const { failures } = await memory.summarize({ messages: MESSAGES });
    expect(failures).toMatchObject([{ agent: "hobby", memoryTarget: "alice" }]);
  });

  it("is refused with a built-in or invalid type, or an invalid agent", async () => {
    const memory = new ProgressiveMemory(await hostInMemory());
    expect(() => memory.registerAgent("personal", hobby)).toThrow("is built in");
    expect(() => memory.registerAgent("Hobby!", hobby)).toThrow("lower-case word");
    expect(() => memory.registerAgent("hobby", { ...hobby, description: "" })).toThrow("description");
    expect(() => memory.registerAgent("hobby", { ...hobby, storedAs: "tool" as never })).toThrow("storedAs");
  });
});
