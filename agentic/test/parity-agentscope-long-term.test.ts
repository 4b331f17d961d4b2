import { describe, expect, it } from "vitest";
import { z } from "zod";
import { attachMemory, callTool, type LongTermMemory } from "../src/index.js";
import { type AgentScopeMemory, agentScopeTools } from "../src/long-term/index.js";
import { toJsonSchema } from "../src/tools/index.js";
import {
  factTexts,
  foundFacts,
  openLongTerm,
  openMemory,
  openScripted,
  requestOf,
} from "./long-term-fixture.js";

const CALL = {
  create_time: "2024-01-01 10:00:00",
  tool_name: "search",
  input: { query: "Python" },
  output: "Found 10 results",
  token_cost: 100,
  success: true,
  time_cost: 1.2,
};

/** Calls a tool as a model does. */
function use(longTerm: LongTermMemory, kind: AgentScopeMemory, name: string, args: object): Promise<string> {
  return callTool(agentScopeTools(longTerm, kind), { id: "c1", name, arguments: JSON.stringify(args) });
}

function parametersOf(kind: AgentScopeMemory, name: string) {
  const tool = agentScopeTools({} as LongTermMemory, kind).find((one) => one.name === name)!;
  const schema = toJsonSchema(tool) as {
    properties: Record<string, { default?: unknown }>;
    required?: string[];
  };
  const defaults = Object.fromEntries(
    Object.entries(schema.properties).map(([key, value]) => [key, value.default]),
  );
  return { defaults, names: Object.keys(schema.properties), required: schema.required };
}

describe("LongTermMemoryBase", () => {
  it("record(msgs): accepts a list of messages and ignores None", async () => {
    const { longTerm } = await openLongTerm();
    const { outcomes } = await longTerm.record([null, { role: "user", content: "I like tea" }, undefined]);
    expect(outcomes).toMatchObject([{ outcome: "new", text: "I like tea" }]);
  });

  it("retrieve(msg): accepts a message, a list of them, or None, and returns a text for the system prompt", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record("likes tea");
    const message = { role: "user" as const, content: "Do I like tea?" };
    for (const given of [message, [message]]) {
      expect((await longTerm.retrieve(given)).asText()).toContain("likes tea");
    }
    expect((await longTerm.retrieve(null)).asText()).toBe("");
  });

  it("record_to_memory(thinking, content): requires both, thinking first", async () => {
    const { longTerm } = await openLongTerm();
    const { names, required } = parametersOf("personal", "record_to_memory");
    expect(names).toEqual(["thinking", "content"]);
    expect(required).toEqual(["thinking", "content"]);
    const answer = await use(longTerm, "personal", "record_to_memory", {
      thinking: "why",
      content: ["a", "a", ""],
    });
    expect(answer).toBe(
      "Recorded: 1 new, 1 duplicate.\nItem 3 was not recorded: schema_violation: the text has no words",
    );
    expect(await use(longTerm, "personal", "record_to_memory", { content: ["a"] })).toMatch(/thinking/);
  });

  it("retrieve_from_memory(keywords): returns the matches of any keyword, once each", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record(["likes tea", "likes coffee"]);
    const answer = await use(longTerm, "personal", "retrieve_from_memory", {
      keywords: ["tea", "likes tea", "coffee"],
    });
    expect(answer.match(/likes tea/g)).toHaveLength(1);
    expect(answer.match(/likes coffee/g)).toHaveLength(1);
  });
});

describe("Mem0LongTermMemory", () => {
  it("agent_name, user_name, run_name: the required `subject` names any of them", async () => {
    const client = await openMemory();
    const { longTerm } = await openLongTerm({ client, subject: "agent:friday" });
    await longTerm.record("works at night");
    for (const about of ["user:friday", "run:friday"])
      expect(await factTexts(longTerm.forSubject(about))).toEqual([]);
    expect(await factTexts(longTerm.forSubject("agent:friday"))).toEqual(["works at night"]);
    await expect(openLongTerm({ client, subject: "" })).rejects.toThrow(TypeError);
  });

  it("model: extracts facts from messages, and without a model stores them unchanged", async () => {
    const chat = [{ role: "user" as const, content: "well, I like tea" }];
    const { longTerm } = await openScripted(() => foundFacts("The user likes tea"));
    expect((await longTerm.record(chat)).outcomes).toMatchObject([{ text: "The user likes tea" }]);
    const plain = (await openLongTerm()).longTerm;
    expect((await plain.record(chat)).outcomes).toMatchObject([{ text: "well, I like tea" }]);
  });

  it("embedding_model, vector_store_config, mem0_config: options of the host", async () => {
    await expect(openLongTerm({ vector_store_config: {} } as object)).rejects.toThrow(/unknown option/);
  });

  it("default_memory_type, memory_type: procedural ones are experiences", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.recordExperiences("ask before you book");
    expect(await longTerm.sizes()).toMatchObject({ fact: 0, experience: 1 });
  });

  it('messages of the user have the trust "user", messages of the assistant "agent"', async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record([
      { role: "user", content: "tea one" },
      { role: "assistant", content: "tea two" },
    ]);
    const { memories } = await longTerm.retrieve("tea");
    const trust = Object.fromEntries(memories.map(({ text, record }) => [text, record.metadata.trust]));
    expect(trust).toEqual({ "tea one": "user", "tea two": "agent" });
  });

  it("record_to_memory(thinking, content): stores the content even if the model extracts nothing", async () => {
    const { longTerm } = await openScripted(() => foundFacts());
    await use(longTerm, "personal", "record_to_memory", { thinking: "", content: ["likes tea"] });
    expect(await factTexts(longTerm)).toEqual(["likes tea"]);
  });

  it("retrieve_from_memory(keywords, limit=5): applies the limit to each keyword", async () => {
    const { longTerm } = await openLongTerm();
    expect(parametersOf("personal", "retrieve_from_memory").defaults).toMatchObject({ limit: 5 });
    await longTerm.record(Array.from({ length: 8 }, (_, n) => `tea number ${n}`));
    const lines = (text: string) => text.split("\n").filter((line) => line.startsWith("[memory:")).length;
    expect(lines(await use(longTerm, "personal", "retrieve_from_memory", { keywords: ["tea"] }))).toBe(5);
    expect(
      lines(await use(longTerm, "personal", "retrieve_from_memory", { keywords: ["tea"], limit: 2 })),
    ).toBe(2);
  });

  it("record(infer=True): with False stores messages unchanged, without a model", async () => {
    const { longTerm, server } = await openScripted(() => foundFacts("something else"));
    await longTerm.record([{ role: "user", content: "I like tea" }], { infer: false });
    expect(await factTexts(longTerm)).toEqual(["I like tea"]);
    expect(server.requests).toEqual([]);
  });

  it("retrieve(msg, limit=5)", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record(Array.from({ length: 8 }, (_, n) => `tea number ${n}`));
    expect((await longTerm.retrieve("tea")).memories).toHaveLength(5);
    expect((await longTerm.retrieve("tea", { limit: 7 })).memories).toHaveLength(7);
  });
});

describe("ReMePersonalLongTermMemory", () => {
  it("record_to_memory, retrieve_from_memory: report if nothing is found", async () => {
    const { longTerm } = await openLongTerm();
    const content = ["User prefers homestays in Hangzhou", "User likes visiting West Lake in the morning"];
    expect(await use(longTerm, "personal", "record_to_memory", { thinking: "travel", content })).toBe(
      "Recorded: 2 new.",
    );
    const found = await use(longTerm, "personal", "retrieve_from_memory", {
      keywords: ["Hangzhou", "West Lake"],
    });
    expect(found).toContain(content[0]);
    expect(found).toContain(content[1]);
    expect(await use(longTerm, "personal", "retrieve_from_memory", { keywords: ["zebra"] })).toBe(
      "No memories were found.",
    );
  });

  it("record(msgs), retrieve(msg): cover the flow from messages to the prompt", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record([{ role: "user", content: "I start work at 9 AM" }]);
    const text = (await longTerm.retrieve({ role: "user", content: "When does my work start?" })).asText();
    expect(text).toContain("I start work at 9 AM");
  });
});

describe("ReMeTaskLongTermMemory", () => {
  it("record_to_memory(score=1.0): stores the success of the task", async () => {
    const { longTerm } = await openLongTerm();
    expect(parametersOf("task", "record_to_memory").defaults).toMatchObject({ score: 1 });
    const content = ["Use EXPLAIN ANALYZE to find missing indexes"];
    await use(longTerm, "task", "record_to_memory", { thinking: "", content });
    const value = async () => (await longTerm.retrieve("missing indexes")).memories[0]!.record.metadata.value;
    expect(await value()).toBe(1);
    await use(longTerm, "task", "record_to_memory", { thinking: "", content, score: 0.5 });
    expect(await value()).toBe(0.5);
  });

  it("retrieve_from_memory(top_k=3): returns experiences and no facts", async () => {
    const { longTerm } = await openLongTerm();
    expect(parametersOf("task", "retrieve_from_memory").defaults).toMatchObject({ limit: 3 });
    await longTerm.record("the user has a slow database");
    await longTerm.recordExperiences("add an index to a slow database");
    const found = await use(longTerm, "task", "retrieve_from_memory", { keywords: ["slow database"] });
    expect(found).toContain("add an index");
    expect(found).not.toContain("the user has");
  });

  it("record(msgs, score=1.0): extracts experiences from a trajectory", async () => {
    const { longTerm, server } = await openScripted([
      { json: { experiences: [{ text: "Add an index", when_to_use: "a query is slow" }] } },
    ]);
    await longTerm.recordExperiences([{ role: "user", content: "My query is slow" }]);
    expect(requestOf(server.requests[0]!).prompt).toContain("value 1");
    expect((await longTerm.retrieve("a slow query")).asText()).toContain("Add an index");
  });

  it("retrieve(msg): returns a text", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.recordExperiences("add an index to a slow database");
    const message = { role: "user" as const, content: "my database is slow" };
    expect((await longTerm.retrieve(message, { kinds: ["experience"] })).asText()).toContain("add an index");
  });
});

describe("ReMeToolLongTermMemory", () => {
  it("record_to_memory(thinking, content): accepts JSON texts and writes guidelines", async () => {
    const { longTerm } = await openLongTerm();
    const { create_time: _, ...rest } = CALL;
    const content = [
      JSON.stringify(CALL),
      JSON.stringify({ ...CALL, success: false }),
      "{}",
      JSON.stringify(rest),
    ];
    const answer = await use(longTerm, "tool", "record_to_memory", { thinking: "", content });
    expect(answer).toMatch(
      /^Recorded: 3 new\.\nGuidelines written for: search\.\nItem 3 was not recorded: schema/,
    );
  });

  it("retrieve_from_memory(keywords): accepts exact names of tools", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.recordToolCalls(CALL);
    const found = await use(longTerm, "tool", "retrieve_from_memory", { keywords: ["search", "research"] });
    expect(found).toContain("1 call, 100 % successful, 100 tokens on average, 1.2 s on average.");
    expect(await use(longTerm, "tool", "retrieve_from_memory", { keywords: ["sear"] })).toBe(
      "There are no guidelines yet.",
    );
  });

  it("record(msgs): accepts a JSON text or a list of them as the content", async () => {
    const { longTerm } = await openLongTerm();
    const list = JSON.stringify([
      JSON.stringify({ ...CALL, input: 1 }),
      JSON.stringify({ ...CALL, input: 2 }),
    ]);
    const { outcomes } = await longTerm.recordToolCalls([
      { role: "assistant", content: JSON.stringify(CALL) },
      { role: "assistant", content: list },
      { role: "assistant", content: "no JSON" },
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["new", "new", "new", "refused"]);
  });

  it("retrieve(msg): returns guidelines that match the message", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.recordToolCalls(CALL);
    const message = { role: "user" as const, content: "how do I use search" };
    expect((await longTerm.retrieve(message, { kinds: ["guideline"] })).asText()).toContain("1 call, 100 %");
  });
});

describe("long_term_memory_mode", () => {
  const chat = [{ role: "user" as const, content: "I like tea" }];

  it("static_control: records and retrieves around a turn, without tools", async () => {
    const { longTerm } = await openLongTerm();
    const { before, after, tools } = attachMemory(longTerm, "static", { wait: true });
    expect((await before(chat)).asText()).toBe("");
    await after(chat);
    expect((await before(chat)).asText()).toContain("I like tea");
    expect(tools).toEqual([]);
  });

  it("agent_control: offers only tools", async () => {
    const { longTerm } = await openLongTerm();
    const { before, after, tools } = attachMemory(longTerm, "agent");
    expect(await after(chat)).toBeUndefined();
    expect((await before(chat)).memories).toEqual([]);
    expect(tools.map(({ name }) => name)).toEqual(["record_to_memory", "retrieve_from_memory"]);
    expect(await longTerm.sizes()).toMatchObject({ fact: 0 });
  });

  it("both: finds memories that were recorded in the background", async () => {
    const { longTerm } = await openLongTerm();
    const { before, after, tools } = attachMemory(longTerm, "both");
    expect(await after(chat)).toMatchObject({ status: "queued" });
    await longTerm.settled();
    expect((await before(chat)).asText()).toContain("I like tea");
    expect(tools).toHaveLength(2);
    expect(() => attachMemory(longTerm, "static_control" as never)).toThrow(TypeError);
  });
});

it("a tool never throws: errors become texts for the model", async () => {
  const { memory, longTerm } = await openLongTerm();
  await memory.close();
  expect(await use(longTerm, "personal", "retrieve_from_memory", { keywords: ["x"] })).toMatch(
    /failed: unavailable/,
  );
  expect(z.toJSONSchema(agentScopeTools(longTerm)[0]!.parameters, { io: "input" }).type).toBe("object");
});
