import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ChatMessage, ProgressiveMemory, type Tool } from "../src/index.js";
import { MEMORY_TYPES, type ToolBinding } from "../src/progressive/index.js";
import {
  call,
  calling,
  countsByKind,
  DONE,
  hostInMemory,
  idsIn,
  scriptedMemory,
  stored,
} from "./progressive-fixture.js";

const TRIP: readonly ChatMessage[] = [
  { role: "user", content: "I'm travelling to SF" },
  { role: "assistant", content: "That's great to hear!" },
];
const ABOUT_ALICE = { memoryType: "personal", memoryTarget: "alice" } as const;

let memory: ProgressiveMemory;
let binding: ToolBinding;

beforeEach(async () => {
  memory = new ProgressiveMemory(await hostInMemory());
  const { historyId } = await memory.summarize({ messages: TRIP });
  const handler = { types: ["identity", "personal", "procedural", "tool"] as const, handle: async () => [] };
  binding = { ...ABOUT_ALICE, historyId, handler };
});

describe("3 the API", () => {
  it("memory_space: spaces are separate", async () => {
    const client = await hostInMemory();
    const spaces = ["remy", "other"].map((memorySpace) => new ProgressiveMemory(client, { memorySpace }));
    await call(spaces[0]!, "add_memory", { memories: [{ memory_content: "Tea" }] }, { binding: ABOUT_ALICE });
    const found = await Promise.all(spaces.map((space) => space.retrieve({ query: "tea" })));
    expect(found.map(({ memories }) => memories.length)).toEqual([1, 0]);
  });

  it("llm: an optional ChatModel. embedding and vector_store: options of the host", async () => {
    const { cost } = await memory.retrieve({ query: "trip" });
    expect(cost.modelCalls).toBe(0);
  });

  it("summary(messages, user_id, memory_type): summarize", async () => {
    const result = await memory.summarize({ messages: TRIP, targets: ["alice"], memoryType: "auto" });
    expect(result.outcome).toBe("history_only");
    for (const memoryType of ["personal", "procedural", "tool"] as const) {
      expect(await memory.summarize({ messages: TRIP, memoryType })).toMatchObject({
        historyId: binding.historyId,
      });
    }
  });

  it("retrieve(query, limit, user_id, memory_type)", async () => {
    await call(memory, "add_memory", { memories: [{ memory_content: "Travels to SF" }] }, { binding });
    const request = { query: "SF", limit: 3, targets: ["alice"], memoryType: "auto" } as const;
    expect((await memory.retrieve(request)).asText()).toBe("<memories>\n- Travels to SF\n</memories>");
  });

  it("list_memories(user_id)", async () => {
    await call(memory, "add_memory", { memories: [{ memory_content: "Travels" }] }, { binding });
    expect((await memory.listMemories({ targets: ["alice"] })).map(({ text }) => text)).toEqual(["Travels"]);
  });

  it("delete_all_memories(user_id)", async () => {
    await call(memory, "add_memory", { memories: [{ memory_content: "Travels" }] }, { binding });
    expect((await memory.deleteAllMemories({ targets: ["alice"] })).deletedCount).toBe(1);
    expect(await memory.listMemories({ targets: ["alice"] })).toEqual([]);
  });

  it("offload_context(messages) and reload_context(query, limit)", async () => {
    const { messages } = await memory.offload(TRIP);
    expect(messages.map(({ content }) => String(content).slice(0, 10))).toEqual(["[offloaded", "[offloaded"]);
    const { results } = await memory.reload({ query: "what is your travel plan to SF?", limit: 3 });
    expect(results.map(({ text }) => text)).toEqual(["I'm travelling to SF"]);
  });

  const customTool = (runs: string[]): Tool => ({
    name: "a_tool",
    description: "a custom tool",
    parameters: z.object({ n: z.number() }),
    run: async ({ n }) => {
      runs.push(String(n));
      return "ran";
    },
  });
  const callsCustom = { calls: [{ name: "a_tool", arguments: { n: 1 } }] };

  it("set_retriever(AgenticRetriever(tools), system_prompt): setRetriever", async () => {
    const { memory: own, server } = await scriptedMemory({});
    const runs: string[] = [];
    own.setRetriever({ tools: [customTool(runs)], prompt: "Custom retrieval instructions" });
    server.play([callsCustom, DONE]);
    await own.retrieve({ query: "trip" });
    expect(runs).toEqual(["1"]);
    expect(server.requests[0]!.body.messages[0]!.content).toBe("Custom retrieval instructions");
  });

  it("set_summarizer(AgenticSummarizer(tools)): setSummarizer", async () => {
    const { memory: own, server } = await scriptedMemory({});
    const runs: string[] = [];
    own.setSummarizer({ tools: [customTool(runs), "add_summary_memory"] });
    server.play([callsCustom, calling("add_summary_memory", { summary_memory: "A trip" }), DONE]);
    expect(await own.summarize({ messages: TRIP })).toMatchObject({
      outcome: "done",
      memories: [{ text: "A trip" }],
    });
    expect(runs).toEqual(["1"]);
  });

  it("use_agentic_mode: a model is given or not", async () => {
    const { memory: own } = await scriptedMemory({ retriever: [DONE] });
    expect((await own.retrieve({ query: "trip" })).by).toBe("agent");
    expect((await memory.retrieve({ query: "trip" })).by).toBe("vectors");
  });

  it("3.1.2 the chat application: retrieve, answer, summarize, list, delete at the end", async () => {
    const add = calling("add_memory", { memories: [{ memory_content: "Alice travels to SF" }] });
    const hand = calling("hands_off", {
      memory_tasks: [{ memory_type: "personal", memory_target: "alice" }],
    });
    const search = calling("vector_retrieve_memory", { query_items: [{ query: "SF" }] });
    const {
      client,
      memory: own,
      model,
    } = await scriptedMemory({
      retriever: [search, DONE, search, DONE],
      custom: [{ text: "Great" }, { text: "To SF" }],
      summarizer: [hand, DONE, DONE],
      personal: [add, DONE],
    });
    const turn = async (query: string) => {
      const memories = await own.retrieve({ query, targets: ["alice"], limit: 3 });
      const system = { role: "system", content: `You are Remy.\n${memories.asText()}` } as const;
      const received: ChatMessage[] = [{ role: "user", content: query }];
      const { text } = await model.complete({ messages: [system, ...received] });
      await own.summarize({
        messages: [...received, { role: "assistant", content: text }],
        targets: ["alice"],
      });
      return { text, recalled: memories.memories.length, listed: (await own.listMemories()).length };
    };
    expect(await turn("I travel to SF")).toEqual({ text: "Great", recalled: 0, listed: 1 });
    expect(await turn("Where to?")).toEqual({ text: "To SF", recalled: 1, listed: 1 });
    await own.deleteAllMemories({ targets: ["alice"] });
    expect(await stored(client)).toEqual([]);
  });
});

describe("4.4 the runtime", () => {
  it("4.4.1 Summary: history, then meta, then the agent", async () => {
    const { client, memory: own, requestsOf, server } = await scriptedMemory({});
    await call(own, "add_meta_memory", {
      meta_memories: [{ memory_type: "personal", memory_target: "jinli" }],
    });
    const kept: object[] = [];
    server.play(async () => {
      kept.push(await countsByKind(client));
      return DONE;
    });
    await own.summarize({ messages: TRIP });
    expect(kept).toEqual([{ target: 1, message: 2, history: 1 }]);
    expect(String(requestsOf("summarizer")[0]!.body.messages[1]!.content)).toContain("- personal(jinli): ");
  });

  it("4.4.2 Retrieve: layer 0 in the form `- type(target): description`", async () => {
    const meta_memories = [
      { memory_type: "personal", memory_target: "jinli&jiaji" },
      { memory_type: "procedural", memory_target: "bfcl-v3" },
    ];
    await call(memory, "add_meta_memory", { meta_memories });
    const all = { enableToolMemory: true, enableIdentityMemory: true };
    const lines = (await call(memory, "read_meta_memory", {}, { options: all })).split("\n");
    expect(lines.map((line) => line.slice(0, line.indexOf(":"))).sort()).toEqual([
      "- identity(self)",
      "- personal(jinli&jiaji)",
      "- procedural(bfcl-v3)",
      "- tool(tool_guidelines)",
    ]);
  });

  it("4.4.2 Retrieve: layers 1 and 2 by vectors, layer 3 by ref_memory_id", async () => {
    await call(memory, "add_memory", { memories: [{ memory_content: "Travels to SF" }] }, { binding });
    const found = await call(memory, "vector_retrieve_memory", { query_items: [{ query: "SF" }] });
    const ref = JSON.parse(found.split("\n")[1]!).ref_memory_id as string;
    expect(await call(memory, "read_history_memory", { memory_ids: [ref] })).toContain(
      "I'm travelling to SF",
    );
  });
});

describe("5 extensions", () => {
  it("5.1 a search uses summaries if the type and target have no matches", async () => {
    await call(memory, "add_summary_memory", { summary_memory: "A trip to SF" }, { binding });
    const args = { query_items: [{ query: "SF trip" }] };
    const options = { enableSummaryMemory: true };
    expect(await call(memory, "vector_retrieve_memory", args, { binding })).toBe("no memories found");
    const found = await call(memory, "vector_retrieve_memory", args, { binding, options });
    expect(found).toContain('"memory_type":"summary"');
    expect(idsIn(found)).toHaveLength(1);
  });

  it("5.4 another version of an agent: its prompt, tools and limits are replaced", async () => {
    const agents = { personal: { prompt: "V2", tools: ["add_memory"], stepCountMax: 1 } } as const;
    const hand = calling("hands_off", {
      memory_tasks: [{ memory_type: "personal", memory_target: "alice" }],
    });
    const { memory: own, server } = await scriptedMemory(
      { summarizer: [hand, DONE], custom: [DONE] },
      {},
      { agents },
    );
    expect((await own.summarize({ messages: TRIP })).outcome).toBe("done");
    expect(server.requests.map(({ body }) => body.messages[0]!.content)).toContain("V2");
  });

  it("5.6 add_meta_memory changes the targets that later agents see", async () => {
    const meta = calling("add_meta_memory", {
      meta_memories: [{ memory_type: "personal", memory_target: "alice" }],
    });
    const { memory: own, requestsOf } = await scriptedMemory({ summarizer: [meta, DONE], remy: [DONE] });
    await own.summarize({ messages: TRIP });
    await own.reply({ messages: TRIP.slice(0, 1) });
    expect(String(requestsOf("remy")[0]!.body.messages[0]!.content)).toContain("personal(alice)");
  });

  it("types: identity, personal, procedural, tool, summary, history", () => {
    expect([...MEMORY_TYPES]).toEqual(["identity", "personal", "procedural", "tool", "summary", "history"]);
  });
});
