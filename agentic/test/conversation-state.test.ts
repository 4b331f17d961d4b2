import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ChatMessage, type Conversation, openConversation } from "../src/index.js";
import { openMemory } from "./memory-fixture.js";

let folder: string;
let from: Conversation;
let to: Conversation;

const CALL: ChatMessage = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", name: "search", arguments: '{"q":1}' }],
  reasoning: [{ signature: "abc" }],
  vendor: { kept: [true] },
};
const ANSWER: ChatMessage = { role: "tool", content: "found", tool_call_id: "call_1", structured: { n: 1 } };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "membus-test-"));
  const { memory } = await openMemory();
  from = await openConversation(memory, { id: "from", description: "be brief" });
  to = await openConversation(memory, { id: "to" });
  await from.add([
    { id: "a", message: CALL, marks: ["m"] },
    { id: "b", message: ANSWER },
    { role: "user", content: "c" },
  ]);
  const [, a, b] = await from.get();
  await from.setSummary({ text: "searched", covers: { from: a!.seq, to: b!.seq }, userRequests: "search" });
  await to.add({ id: "old", message: { role: "user", content: "old" } });
});

afterEach(() => rmSync(folder, { recursive: true }));

const without = (messages: Awaited<ReturnType<Conversation["get"]>>) =>
  messages.map(({ id, marks, message }) => ({ id, marks, message }));

async function expectCopied(): Promise<void> {
  expect(without(await to.get())).toEqual(without(await from.get()));
  const [, a, b] = await to.get();
  expect(await to.summary()).toMatchObject({
    text: "searched",
    userRequests: "search",
    covers: { from: a!.seq, to: b!.seq },
  });
}

it("is exported as JSON and restored completely: ids, marks, order, summary, every field", async () => {
  const state = JSON.parse(JSON.stringify(await from.state())) as unknown;
  const { cost } = await to.loadState(state);
  expect(cost.entriesWritten).toBe(1 + 4 + 1);
  await expectCopied();
});

it("can be saved to a file together with additional state", async () => {
  const path = join(folder, "state.json");
  await from.save(path, { step: 3 });
  expect(await to.load(path)).toEqual({ step: 3 });
  await expectCopied();
  await from.save(path);
  expect(await to.load(path)).toBeUndefined();
  expect(readdirSync(folder)).toEqual(["state.json"]);
});

it("keeps the old file if the new one cannot be written", async () => {
  const path = join(folder, "state.json");
  await from.save(path);
  const before = readFileSync(path, "utf8");
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  await expect(from.save(path, circular)).rejects.toThrow(TypeError);
  await expect(from.save(join(folder, "none", "state.json"))).rejects.toThrow("ENOENT");
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(readdirSync(folder)).toEqual(["state.json"]);
});

it.each([
  ["nothing", {}],
  ["a missing part", { version: 1, conversation: "c", messages: [] }],
  ["an unknown part", { version: 1, conversation: "c", messages: [], summaries: [], sumaries: [] }],
  ["another version", { version: 2, conversation: "c", messages: [], summaries: [] }],
  ["two messages with one id", twice()],
])("rejects %s and changes nothing", async (_, state) => {
  await expect(to.loadState(state)).rejects.toThrow(TypeError);
  expect(without(await to.get())).toMatchObject([{ id: "old" }]);
});

function twice() {
  const message = { id: "a", marks: [], message: { role: "user", content: "x" }, seq: 1 };
  return { version: 1, conversation: "c", messages: [message, message], summaries: [] };
}

it("keeps the parts that a state lacks if strict is false", async () => {
  const { summaries } = await from.state();
  await to.loadState({ summaries }, { strict: false });
  expect(without(await to.get())).toMatchObject([{ id: "old" }]);
  expect(await to.summary()).toMatchObject({ text: "searched" });
  await to.loadState({ messages: [] }, { strict: false });
  expect(await to.size()).toBe(0);
  expect(await to.summary()).toMatchObject({ text: "searched" });
});

it("rejects a file without a state", async () => {
  const path = join(folder, "other.json");
  writeFileSync(path, "[1]");
  await expect(to.load(path)).rejects.toThrow("is not a conversation state file");
});
