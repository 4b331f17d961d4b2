import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CONTEXT_DEFAULTS, type ContextEvent } from "../src/context/index.js";
import {
  type ChatMessage,
  type ContextOptions,
  ContextWindow,
  type Conversation,
  openConversation,
} from "../src/index.js";
import {
  fromHarmonizedResponse,
  fromResponseDict,
  messageContent,
  toApiFormat,
  toLlmDict,
} from "../src/model/index.js";
import { openMemory } from "./memory-fixture.js";
import { startModel } from "./model-fixture.js";

let conversation: Conversation;

const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });
const contents = async () => (await conversation.messages()).map(({ content }) => content);

beforeEach(async () => {
  const { memory } = await openMemory();
  conversation = await openConversation(memory, { id: "c", description: "You are helpful" });
});

describe("MARSYS, ConversationMemory", () => {
  it("description: the initial system message", async () => {
    expect(await conversation.messages()).toEqual([{ role: "system", content: "You are helpful" }]);
  });

  it("add(message | role, content, name, tool_calls, agent_calls, images, tool_call_id) -> id", async () => {
    const message: ChatMessage = {
      ...assistant("x"),
      name: "n",
      tool_calls: [{ id: "1", call_id: "1", type: "function", name: "f", arguments: "{}" }],
      agent_calls: [{ agent_name: "DataProcessor", request: "go" }],
      images: ["path/to/image.jpg"],
    };
    const { ids } = await conversation.add([message, { role: "tool", content: "y", tool_call_id: "1" }]);
    expect(await conversation.get({ ids })).toMatchObject([{ message }, { message: { tool_call_id: "1" } }]);
  });

  it("update(message_id, ...) keeps tool_call_id and all fields that are not given", async () => {
    const { ids } = await conversation.add({ role: "tool", content: "y", tool_call_id: "1", reasoning: [1] });
    await conversation.update(ids[0]!, { content: "z" });
    expect((await conversation.messages())[1]).toEqual({
      role: "tool",
      content: "z",
      tool_call_id: "1",
      reasoning: [1],
    });
  });

  it("retrieve_all(), get_messages()", async () => {
    await conversation.add([user("1"), assistant("2")]);
    expect(await contents()).toEqual(["You are helpful", "1", "2"]);
  });

  it("retrieve_recent(n)", async () => {
    await conversation.add([user("1"), assistant("2")]);
    expect(await conversation.get({ last: 1 })).toMatchObject([{ message: assistant("2") }]);
  });

  it("retrieve_by_id(message_id) -> the message, or none", async () => {
    const { ids } = await conversation.add(user("1"));
    expect(await conversation.get({ ids })).toMatchObject([{ id: ids[0], message: user("1") }]);
    expect(await conversation.get({ ids: ["none"] })).toEqual([]);
  });

  it("retrieve_by_role(role, n)", async () => {
    await conversation.add([user("1"), assistant("2"), user("3")]);
    expect(await conversation.get({ role: "user" })).toHaveLength(2);
    expect(await conversation.get({ role: "user", last: 1 })).toMatchObject([{ message: user("3") }]);
  });

  it("remove_by_id(message_id) -> whether it existed", async () => {
    const { ids } = await conversation.add(user("1"));
    expect(await conversation.remove({ ids })).toMatchObject({ count: 1 });
    expect(await conversation.remove({ ids })).toMatchObject({ count: 0 });
  });

  it("replace_memory(idx, ...) replaces it", async () => {
    await conversation.add([user("1"), user("2")]);
    await conversation.replace(1, assistant("one"));
    expect(await contents()).toEqual(["You are helpful", "one", "2"]);
  });

  it("delete_memory(idx)", async () => {
    await conversation.add([user("1"), user("2")]);
    await conversation.remove({ indices: [1] });
    expect(await contents()).toEqual(["You are helpful", "2"]);
  });

  it("reset_memory() keeps the system prompt", async () => {
    await conversation.add(user("1"));
    await conversation.clear({ keepSystem: true });
    expect(await contents()).toEqual(["You are helpful"]);
  });
});

const tokenCounter = (text: string) => text.length;
const LONG = Array.from({ length: 10 }, (_, n) => [
  user(`q${n}${"x".repeat(40)}`),
  assistant(`a${n}`),
]).flat();
const SUMMARY = { user_requests: "r", summary: "s", key_facts: ["f"], open_threads: ["o"], keep_images: [] };

describe("MARSYS, ManagedConversationMemory and MemoryManager", () => {
  async function open(options: ContextOptions = {}, answer: unknown = SUMMARY) {
    const { model } = await startModel(() => ({ json: answer }));
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    await conversation.add(LONG);
    const window = new ContextWindow(conversation, options, { model, tokenCounter, onEvent });
    return { window, events };
  }

  it("get_raw_messages() returns the original messages after a compaction, under the same ids", async () => {
    const { window } = await open({ thresholdTokens: 400 });
    const before = await conversation.get();
    expect((await window.messages()).length).toBeLessThan(before.length);
    expect(await conversation.get()).toEqual(before);
  });

  it("get_cache_stats()", async () => {
    const { window } = await open();
    await window.messages();
    await window.messages();
    expect(window.stats).toMatchObject({ compactions: 0, counted: 21, misses: 21 });
    expect(window.stats.hits).toBeGreaterThanOrEqual(21);
  });

  it("compact_if_needed()", async () => {
    const { window } = await open({ thresholdTokens: 400, triggers: [] });
    expect(await window.compactIfNeeded()).toMatchObject({ stages: ["summarization"] });
    expect(await window.compactIfNeeded()).toBeUndefined();
  });

  it("compact_for_payload_error() returns true only if the bytes decrease, and keeps the tail and the system message", async () => {
    const { window } = await open();
    const before = await window.messages();
    expect(await window.compactForPayloadError()).toBe(true);
    const after = await window.messages();
    expect(JSON.stringify(after).length).toBeLessThan(JSON.stringify(before).length);
    expect(after.map(({ role }) => role)).toEqual(["system", "user", "assistant"]);
    expect(after.at(-1)).toEqual(before.at(-1));
    expect(await window.compactForPayloadError()).toBe(false);
  });

  it("CompactionEvent: status, pre_tokens, post_tokens, pre_messages, post_messages, duration, stages_run", async () => {
    const { window, events } = await open({ thresholdTokens: 400 });
    await window.messages();
    expect(events).toMatchObject([
      { status: "started", before: { messages: 21 } },
      {
        status: "completed",
        before: { tokens: 518, messages: 21 },
        after: { messages: 3 },
        stages: ["summarization"],
        cost: { tookMs: expect.any(Number) },
      },
    ]);
  });

  it("an invalid summary changes nothing, and messages are packed", async () => {
    const { window } = await open({ thresholdTokens: 400 }, { wrong: true });
    await window.messages();
    expect(await conversation.summary()).toBeUndefined();
  });

  it("MemoryResetEvent", async () => {
    const events: unknown[] = [];
    conversation.onReset((event) => events.push(event));
    await conversation.clear();
    expect(events).toEqual([{ agent: "alice", session: expect.any(String), conversation: "c", removed: 1 }]);
  });

  it("save_to_file(filepath, additional_state), load_from_file(filepath) -> additional_state", async () => {
    const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
    try {
      const output: ChatMessage = {
        role: "tool",
        content: "y",
        tool_call_id: "1",
        reasoning: [{ signature: "s" }],
      };
      await conversation.add({ id: "m", message: output });
      await conversation.save(join(folder, "memory.json"), { step: 1 });
      await conversation.clear();
      expect(await conversation.load(join(folder, "memory.json"))).toEqual({ step: 1 });
      expect(await conversation.get({ ids: ["m"] })).toMatchObject([{ id: "m", message: output }]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("MARSYS, defaults", () => {
  it.each([
    ["threshold_tokens", CONTEXT_DEFAULTS.thresholdTokens, 150_000],
    ["image_token_estimate", CONTEXT_DEFAULTS.imageTokens, 800],
    ["trigger_events", CONTEXT_DEFAULTS.triggers, ["add", "messages"]],
    ["mode", CONTEXT_DEFAULTS.mode, "compaction"],
    [
      "processor_order",
      CONTEXT_DEFAULTS.processors,
      ["tool_truncation", "offload", "summarization", "backward_packing"],
    ],
    ["excluded_processors", CONTEXT_DEFAULTS.excludedProcessors, []],
    ["min_reduction_ratio", CONTEXT_DEFAULTS.minReductionRatio, 0.4],
    ["tool_truncation", CONTEXT_DEFAULTS.toolResultTokensMax, 1_200],
    ["grace_recent_messages", CONTEXT_DEFAULTS.graceRounds, 1],
    ["output_max_tokens", CONTEXT_DEFAULTS.summaryTokensMax, 6_000],
    ["include_original_instruction", CONTEXT_DEFAULTS.includeOriginalInstruction, true],
    ["include_image_payload_bytes", CONTEXT_DEFAULTS.includeImages, false],
    ["max_retained_images", CONTEXT_DEFAULTS.retainedImagesMax, null],
    ["headroom of sliding_window", CONTEXT_DEFAULTS.slidingHeadroom, 0.1],
  ])("%s", (_, ours, theirs) => expect(ours).toEqual(theirs));

  it("compaction_target_tokens: threshold_tokens * (1 - min_reduction_ratio)", () => {
    expect(new ContextWindow(conversation).targetTokens).toBe(90_000);
  });
});

describe("MARSYS, Message", () => {
  it.each(["system", "user", "assistant", "tool"] as const)("role %s", async (role) => {
    const message: ChatMessage = { role, content: "x", ...(role === "tool" && { tool_call_id: "1" }) };
    await conversation.add(message);
    expect((await conversation.messages()).at(-1)).toEqual(message);
  });

  it.each([
    ["content: text", { content: "x" }],
    ["content: list", { content: [{ type: "text", text: "x" }] }],
    ["content: None", { content: null }],
    ["name", { content: "x", name: "n" }],
    ["tool_calls", { content: null, tool_calls: [{ id: "1", name: "f", arguments: "{}" }] }],
    ["agent_calls", { content: null, agent_calls: [{ agent_name: "a", request: "r" }] }],
    [
      "structured_data, a content that is an object, MessageContent",
      { content: null, structured: { thought: "t" } },
    ],
    ["images", { content: "x", images: ["a.jpg"] }],
    ["reasoning_details", { content: "x", reasoning: [{ signature: "s" }] }],
  ])("%s", async (_, fields) => {
    const message: ChatMessage = { role: "assistant", ...fields };
    await conversation.add(message);
    expect((await conversation.messages()).at(-1)).toEqual(message);
  });
});

describe("MARSYS, forms of a Message", () => {
  const message: ChatMessage = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", call_id: "c1", type: "function", name: "search", arguments: '{"query":"AI"}' }],
    reasoning: [{ signature: "s" }],
    agent_calls: [{ agent_name: "DataProcessor", request: "go" }],
  };
  const nested = { id: "c1", type: "function", function: { name: "search", arguments: '{"query":"AI"}' } };

  it("to_llm_dict()", () => {
    expect(toLlmDict(message)).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [nested],
      agent_calls: [{ agent_name: "DataProcessor", request: "go" }],
      reasoning_details: [{ signature: "s" }],
    });
    expect(toLlmDict(user("Hello"))).toEqual({ role: "user", content: "Hello" });
  });

  it("to_api_format()", () => {
    expect(toApiFormat(message)).toEqual({ role: "assistant", content: null, tool_calls: [nested] });
    expect(toApiFormat({ role: "user", content: "look", images: ["https://a/b.jpg"] })).toEqual({
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url: "https://a/b.jpg" } },
      ],
    });
    expect(toApiFormat({ role: "tool", content: "found", tool_call_id: "c1", name: "search" })).toEqual({
      role: "tool",
      content: "found",
      tool_call_id: "c1",
    });
  });

  it("from_response_dict(response_dict, name): flat and nested calls", () => {
    const flat = { id: "c1", name: "search", arguments: '{"query":"AI"}' };
    const expected = { role: "assistant", content: null, name: "Researcher", tool_calls: [flat] };
    const response = { role: "assistant", content: null };
    expect(fromResponseDict({ ...response, tool_calls: [nested] }, { name: "Researcher" })).toEqual(expected);
    expect(fromResponseDict({ ...response, tool_calls: [flat] }, { name: "Researcher" })).toEqual(expected);
    expect(fromResponseDict({ content: "hi", reasoning_details: [1] })).toEqual({
      role: "assistant",
      content: "hi",
      reasoning: [1],
    });
    expect(() => fromResponseDict({ content: 1 })).toThrow("invalid response");
    expect(() => fromResponseDict({ tool_calls: [{ id: "c1" }] })).toThrow("has no name");
  });

  it("from_harmonized_response(response): an object with more fields", () => {
    const response = { role: "assistant", content: "hi", tool_calls: null, metadata: { model: "m" } };
    expect(fromHarmonizedResponse(response)).toEqual({ role: "assistant", content: "hi" });
  });

  it("MessageContent: next_action is checked", async () => {
    const given = { thought: "t", next_action: "invoke_agent", action_input: { a: 1 } };
    const structured = messageContent(given);
    expect(structured).toEqual(given);
    const { ids } = await conversation.add({ ...assistant("x"), structured: given });
    expect((await conversation.get({ ids }))[0]?.message.structured).toEqual(given);
    expect(() => messageContent({ next_action: "dance" })).toThrow("next_action");
  });

  it("set_event_context(agent_name, session_id): events name the agent and the session", async () => {
    const events: ContextEvent[] = [];
    const { memory } = await openMemory({ session: "run_123" });
    const one = await openConversation(memory, { id: "c" });
    const options = { thresholdTokens: 10 };
    const window = new ContextWindow(one, options, {
      tokenCounter: (text) => text.length,
      onEvent: (event) => events.push(event),
    });
    await one.add([user("1".repeat(20)), assistant("2".repeat(20)), user("3")]);
    await window.compactIfNeeded();
    expect(events[0]).toMatchObject({ agent: "alice", session: "run_123", conversation: "c" });
  });
});
