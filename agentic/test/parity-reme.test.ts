import { parseOptions } from "@membus/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { type ChatMessage, ProgressiveMemory } from "../src/index.js";
import {
  AGENT_NAMES,
  type AgentName,
  MEMORY_TOOL_DEFAULTS,
  MEMORY_TOOL_NAMES,
  type MemoryToolName,
  type MemoryToolOptions,
  type ToolBinding,
} from "../src/progressive/index.js";
import { ProgressiveOptionsSchema } from "../src/progressive/progressive-options.js";
import { toJsonSchema } from "../src/tools/index.js";
import { call, calling, DONE, hostInMemory, scriptedMemory, stored } from "./progressive-fixture.js";

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

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly enum?: readonly string[];
}

async function schemaOf(name: MemoryToolName, options: MemoryToolOptions = {}): Promise<SchemaNode> {
  const [tool] = await memory.tools([name], binding, options);
  return toJsonSchema(tool!) as SchemaNode;
}

/** Returns the parameters in order. Optional ones have a `?`. */
function parametersOf({ properties = {}, required = [] }: SchemaNode): string[] {
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
}

const single = async (name: MemoryToolName, options: MemoryToolOptions = {}) =>
  parametersOf(await schemaOf(name, { enableMultiple: false, ...options }));

/** Returns the name of the list and the parameters of one element, or "text" for a list of strings. */
async function multi(name: MemoryToolName, options: MemoryToolOptions = {}) {
  const { properties = {} } = await schemaOf(name, options);
  const [[list, { items }]] = Object.entries(properties) as [[string, SchemaNode]];
  return { [list]: items!.properties === undefined ? "text" : parametersOf(items!) };
}

describe("4.2.1 BaseMemoryToolOp", () => {
  it("enable_multiple: true", async () => {
    expect(MEMORY_TOOL_DEFAULTS.enableMultiple).toBe(true);
    expect(parseOptions(ProgressiveOptionsSchema, {}).enableMultiple).toBe(true);
  });

  it("enable_thinking_params: false by default, true adds thinking as the first parameter", async () => {
    expect(MEMORY_TOOL_DEFAULTS.enableThinkingParams).toBe(false);
    expect(await single("delete_memory")).toEqual(["memory_id"]);
    const thinking = await single("delete_memory", { enableThinkingParams: true });
    expect(thinking).toEqual(["thinking?", "memory_id"]);
  });

  it("memory_metadata_dir: targets are records in the namespace `targets`", async () => {
    const client = await hostInMemory();
    const own = new ProgressiveMemory(client);
    await call(own, "add_meta_memory", {
      meta_memories: [{ memory_type: "personal", memory_target: "alice" }],
    });
    expect((await stored(client)).map(({ namespace, key }) => [namespace, key])).toEqual([
      ["targets", { target: "personal", name: "alice" }],
    ]);
  });
});

describe("4.2.2 the thirteen tools", () => {
  it("exist with their names", () => {
    expect([...MEMORY_TOOL_NAMES].sort()).toEqual([
      "add_history_memory",
      "add_memory",
      "add_meta_memory",
      "add_summary_memory",
      "delete_memory",
      "hands_off",
      "read_history_memory",
      "read_identity_memory",
      "read_meta_memory",
      "think",
      "update_identity_memory",
      "update_memory",
      "vector_retrieve_memory",
    ]);
  });

  it("AddMemoryOp: add_when_to_use false, add_metadata true", async () => {
    expect(MEMORY_TOOL_DEFAULTS).toMatchObject({ addWhenToUse: false, addMetadata: true });
    expect(await single("add_memory")).toEqual(["memory_content", "metadata?"]);
    expect(await single("add_memory", { addMetadata: false })).toEqual(["memory_content"]);
    const all = ["when_to_use?", "memory_content", "metadata?"];
    expect(await single("add_memory", { addWhenToUse: true })).toEqual(all);
    expect(await multi("add_memory", { addWhenToUse: true })).toEqual({ memories: all });
  });

  it("UpdateMemoryOp", async () => {
    const all = ["memory_id", "memory_content", "metadata?"];
    expect(await single("update_memory")).toEqual(all);
    expect(await multi("update_memory")).toEqual({ memories: all });
  });

  it("DeleteMemoryOp", async () => {
    expect(await single("delete_memory")).toEqual(["memory_id"]);
    expect(await multi("delete_memory")).toEqual({ memory_ids: "text" });
  });

  it("VectorRetrieveMemoryOp: enable_summary_memory false, add_memory_type_target false, top_k 20", async () => {
    const defaults = { enableSummaryMemory: false, addMemoryTypeTarget: false, topK: 20 };
    expect(MEMORY_TOOL_DEFAULTS).toMatchObject(defaults);
    expect(await single("vector_retrieve_memory")).toEqual(["query"]);
    const typed = { addMemoryTypeTarget: true };
    const all = ["query", "memory_type?", "memory_target?"];
    expect(await single("vector_retrieve_memory", typed)).toEqual(all);
    expect(await multi("vector_retrieve_memory", typed)).toEqual({ query_items: all });
    const { properties } = await schemaOf("vector_retrieve_memory", { ...typed, enableMultiple: false });
    const seed = ["identity", "personal", "procedural"];
    expect(properties!.memory_type!.enum).toEqual([...seed, "tool"]);
  });

  it("AddMetaMemoryOp: personal and procedural", async () => {
    expect(await single("add_meta_memory")).toEqual(["memory_type", "memory_target"]);
    expect(await multi("add_meta_memory")).toEqual({ meta_memories: ["memory_type", "memory_target"] });
    const { properties } = await schemaOf("add_meta_memory", { enableMultiple: false });
    expect(properties!.memory_type!.enum).toEqual(["personal", "procedural"]);
  });

  it("ReadMetaMemoryOp: enable_tool_memory false, enable_identity_memory false, no input", async () => {
    expect(MEMORY_TOOL_DEFAULTS).toMatchObject({ enableToolMemory: false, enableIdentityMemory: false });
    expect(parametersOf(await schemaOf("read_meta_memory"))).toEqual([]);
    expect(await single("read_meta_memory")).toEqual([]);
  });

  it("AddHistoryMemoryOp: messages, without a multi mode", async () => {
    expect(parametersOf(await schemaOf("add_history_memory"))).toEqual(["messages"]);
    expect(await single("add_history_memory")).toEqual(["messages"]);
  });

  it("ReadHistoryMemoryOp", async () => {
    expect(await single("read_history_memory")).toEqual(["memory_id"]);
    expect(await multi("read_history_memory")).toEqual({ memory_ids: "text" });
  });

  it("AddSummaryMemoryOp: without a multi mode", async () => {
    expect(parametersOf(await schemaOf("add_summary_memory"))).toEqual(["summary_memory", "metadata?"]);
    expect(await single("add_summary_memory")).toEqual(["summary_memory", "metadata?"]);
  });

  it("ReadIdentityMemoryOp: no input", async () => {
    expect(parametersOf(await schemaOf("read_identity_memory"))).toEqual([]);
  });

  it("UpdateIdentityMemoryOp", async () => {
    expect(parametersOf(await schemaOf("update_identity_memory"))).toEqual(["identity_memory"]);
  });

  it("ThinkToolOp: add_output_reflection false", async () => {
    expect(MEMORY_TOOL_DEFAULTS.addOutputReflection).toBe(false);
    expect(parametersOf(await schemaOf("think"))).toEqual(["reflection"]);
  });

  it("HandsOffOp", async () => {
    expect(await single("hands_off")).toEqual(["memory_type", "memory_target"]);
    expect(await multi("hands_off")).toEqual({ memory_tasks: ["memory_type", "memory_target"] });
    const { properties } = await schemaOf("hands_off", { enableMultiple: false });
    expect(properties!.memory_type!.enum).toEqual(["identity", "personal", "procedural", "tool"]);
  });
});

/** Returns the tools of each agent when the conversation is handed to all of them. */
async function toolsOfAgents(options: { enableToolMemory?: boolean; enableIdentityMemory?: boolean } = {}) {
  const { enableToolMemory = true, enableIdentityMemory = true } = options;
  const pairs = [
    ["personal", "alice"],
    ["procedural", "trips"],
    ...(enableToolMemory ? [["tool", "tool_guidelines"]] : []),
    ...(enableIdentityMemory ? [["identity", "self"]] : []),
  ];
  const memory_tasks = pairs.map(([memory_type, memory_target]) => ({ memory_type, memory_target }));
  const { memory: own, requestsOf } = await scriptedMemory(
    {
      summarizer: [calling("hands_off", { memory_tasks }), DONE],
      ...{
        personal: [DONE],
        procedural: [DONE],
        tool: [DONE],
        identity: [DONE],
        retriever: [DONE],
        remy: [DONE],
      },
    },
    options,
  );
  await own.summarize({ messages: TRIP });
  await own.retrieve({ query: "trip" });
  await own.reply({ messages: TRIP.slice(0, 1) });
  const displayed = (agent: AgentName) =>
    requestsOf(agent)[0]!
      .body.messages.map(({ content }) => String(content))
      .join("\n");
  const tools = (agent: AgentName) => requestsOf(agent)[0]!.body.tools!.map((tool) => tool.function.name);
  return { tools, displayed };
}

describe("4.3.2 the seven agents", () => {
  it("exist", () => {
    expect([...AGENT_NAMES].sort()).toEqual([
      "identity",
      "personal",
      "procedural",
      "remy",
      "retriever",
      "summarizer",
      "tool",
    ]);
  });

  const FOUR = ["add_memory", "update_memory", "delete_memory", "vector_retrieve_memory"];
  const EXPECTED: readonly (readonly [string, AgentName, readonly string[]])[] = [
    ["PersonalSummaryAgentV1Op", "personal", FOUR],
    ["ProceduralSummaryAgentV1Op", "procedural", FOUR],
    ["ToolSummaryAgentV1Op", "tool", ["add_memory", "update_memory", "vector_retrieve_memory"]],
    ["IdentitySummaryAgentV1Op", "identity", ["read_identity_memory", "update_identity_memory"]],
    ["ReMeSummaryAgentV1Op", "summarizer", ["add_meta_memory", "add_summary_memory", "hands_off"]],
    ["ReMeRetrieveAgentV1Op", "retriever", ["vector_retrieve_memory", "read_history_memory"]],
    ["ReMyAgentV1Op", "remy", ["vector_retrieve_memory", "read_history_memory"]],
  ];

  it.each(EXPECTED)("%s has its tools", async (_, agent, names) => {
    expect((await toolsOfAgents()).tools(agent)).toEqual(names);
  });

  it("enable_tool_memory and enable_identity_memory: true by default, false hides them from all agents", async () => {
    expect(parseOptions(ProgressiveOptionsSchema, {})).toMatchObject({
      enableToolMemory: true,
      enableIdentityMemory: true,
    });
    const on = await toolsOfAgents();
    const off = await toolsOfAgents({ enableToolMemory: false, enableIdentityMemory: false });
    for (const agent of ["summarizer", "retriever", "remy"] as const) {
      expect(on.displayed(agent)).toContain("tool(tool_guidelines)");
      expect(off.displayed(agent)).not.toContain("tool(tool_guidelines)");
    }
    for (const agent of ["summarizer", "remy"] as const) {
      expect(on.displayed(agent)).toContain("identity(self)");
      expect(off.displayed(agent)).not.toContain("identity(self)");
    }
  });

  it("workspace_id, memory_target, ref_memory_id: bound by the runtime, not set by the model", async () => {
    const { client, memory: own } = await scriptedMemory(
      {
        summarizer: [
          calling("hands_off", { memory_tasks: [{ memory_type: "personal", memory_target: "alice" }] }),
          DONE,
        ],
        personal: [calling("add_memory", { memories: [{ memory_content: "Travels" }] }), DONE],
      },
      { memorySpace: "remy" },
    );
    const { historyId } = await own.summarize({ messages: TRIP });
    const [entry] = (await client.retrieve({ namespace: "remy/about/alice" })).entries;
    expect(entry!.metadata).toMatchObject({ about: "alice", ref_memory_id: historyId });
  });
});

describe("5 extensions of the tools", () => {
  it("5.2 thinking as a parameter, and as a tool", async () => {
    const options = { enableThinkingParams: true };
    expect(parametersOf(await schemaOf("add_memory", options))).toEqual(["thinking?", "memories"]);
    expect(MEMORY_TOOL_NAMES).toContain("think");
  });
});
