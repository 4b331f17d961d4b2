import type { MemoryClient } from "@membus/agent-client";
import { keyHash } from "@membus/protocol";
import { expect, it } from "vitest";
import {
  ContextWindow,
  KnowledgeGraph,
  LongTermMemory,
  messageSources,
  openConversation,
} from "../src/index.js";
import { toolCallReports } from "../src/long-term/index.js";
import { factTexts, openLongTerm, openMemory } from "./long-term-fixture.js";
import { startModel } from "./model-fixture.js";
import { NUMBERS, SUMMARY, tokenCounter, user } from "./window-fixture.js";

const A = messageSources("a", ["m1"]);
const B = messageSources("b", ["m1"]);

/** Adds two messages that entries are derived from. */
async function openConversations() {
  const client = await openMemory();
  for (const id of ["a", "b"]) {
    const conversation = await openConversation(client, { id });
    await conversation.add({ id: "m1", message: user(`said in ${id}`) });
  }
  return client;
}

async function forget(client: MemoryClient, group: string) {
  const { receipt } = await client.forget({
    group,
    namespace: "conversations",
    tier: "episodic",
    cascade: true,
  });
  return receipt.cascaded;
}

it("a repeated fact has both sources and is deleted with the last of them", async () => {
  const client = await openConversations();
  const { longTerm } = await openLongTerm({ client });
  await longTerm.record("lives in Rome", { sources: A });
  expect(await longTerm.record("lives in Rome", { sources: B })).toMatchObject({
    outcomes: [{ outcome: "duplicate" }],
    cost: { entriesWritten: 1 },
  });
  expect(await longTerm.record("lives in Rome", { sources: A })).toMatchObject({
    cost: { entriesWritten: 0 },
  });
  expect(await forget(client, "a")).toEqual([]);
  expect(await factTexts(longTerm)).toEqual(["lives in Rome"]);
  expect(await forget(client, "b")).toEqual([1]);
  expect(await factTexts(longTerm)).toEqual([]);
});

it("a fact without sources stays, even if it is repeated with sources", async () => {
  const client = await openConversations();
  const { longTerm } = await openLongTerm({ client });
  await longTerm.record("has two cats");
  await longTerm.record("has two cats", { sources: A });
  expect(await forget(client, "a")).toEqual([]);
  expect(await factTexts(longTerm)).toEqual(["has two cats"]);
});

it("concurrent repetitions of a fact keep all of its sources", async () => {
  const client = await openConversations();
  const recorders = ["a", "b", "c", "d"].map(() => new LongTermMemory(client, { subject: "user:x" }));
  await recorders[0]!.record("lives in Rome", { sources: messageSources("z", ["m0"]) });
  const sources = recorders.map((_, n) => messageSources("z", [`m${n + 1}`]));
  const all = recorders.map((longTerm, n) => longTerm.record("lives in Rome", { sources: sources[n]! }));
  for (const { outcomes } of await Promise.all(all))
    expect(outcomes).toMatchObject([{ outcome: "duplicate" }]);
  const { entries } = await client.retrieve({ namespace: "about/user:x", tier: "episodic" });
  expect(entries[0]!.sources).toHaveLength(5);
});

it("queued work is deleted with its messages", async () => {
  const client = await openConversations();
  const { longTerm } = await openLongTerm({ client, runQueued: false });
  const { eventIds } = await longTerm.record("lives in Rome", { sources: A, wait: false });
  expect(await forget(client, "a")).toEqual([1]);
  await expect(longTerm.status(eventIds[0]!)).rejects.toMatchObject({ code: "memory_not_found" });
});

it("experiences and guidelines are deleted with their sources", async () => {
  const client = await openConversations();
  const { longTerm } = await openLongTerm({ client });
  await longTerm.recordExperiences("ask first", { sources: A });
  await longTerm.recordExperiences(["ask first", "look twice"], { sources: B });
  const calls = toolCallReports([
    { role: "assistant", content: "", tool_calls: [{ id: "1", name: "weather", arguments: "{}" }] },
    { role: "tool", tool_call_id: "1", content: "rain" },
  ]);
  expect(await longTerm.recordToolCalls(calls, { sources: A })).toMatchObject({ guidelines: ["weather"] });
  expect(await forget(client, "a")).toEqual([1, 1]);
  expect(await longTerm.sizes()).toMatchObject({ experience: 2, guideline: 0, tool_call: 0 });
  expect(await forget(client, "b")).toEqual([2]);
  const wrong = { sources: ["m1"] };
  await expect(longTerm.recordExperiences("x", wrong)).rejects.toThrow(/key hash/);
  await expect(longTerm.recordToolCalls(calls, wrong)).rejects.toThrow(/key hash/);
});

it("a repeated triple has the newest 64 sources of both", async () => {
  const client = await openConversations();
  const graph = new KnowledgeGraph(client);
  const triple = { subject: "Ada", predicate: "lives_in", object: "Rome" };
  await graph.add({ ...triple, sources: A });
  expect(await graph.add({ ...triple, sources: B })).toMatchObject([{ outcome: "updated" }]);
  expect(await graph.add({ ...triple, sources: A })).toMatchObject([{ outcome: "duplicate" }]);
  expect((await graph.query()).triples).toMatchObject([{ sources: [...A, ...B] }]);
  expect(await forget(client, "a")).toEqual([]);
  await graph.merge("Rome", "Roma");
  expect(await forget(client, "b")).toEqual([1]);
  expect((await graph.query()).triples).toEqual([]);

  const ids = Array.from({ length: 64 }, (_, n) => `n${n}`);
  await graph.add({ ...triple, sources: A });
  await graph.add({ ...triple, sources: messageSources("a", ids) });
  expect((await graph.query()).triples[0]!.sources).toEqual(messageSources("a", ids));
  await expect(graph.add({ ...triple, sources: [] })).rejects.toThrow(
    "sources must be a list of one or more items",
  );
});

it("a summary lists the newest 64 messages that it covers, including messages of an earlier summary", async () => {
  const client = await openMemory();
  const { model } = await startModel(() => SUMMARY);
  const conversation = await openConversation(client, { id: "c" });
  const options = { thresholdTokens: 400, graceRounds: 1, summaryTokensMax: 100 };
  const window = new ContextWindow(conversation, options, { model, tokenCounter });
  const texts: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    texts.push(...(await conversation.add(NUMBERS)).ids);
    await window.messages();
  }
  const { sources, covers } = (await conversation.summary())!;
  const covered = (await conversation.get()).filter(({ seq }) => seq <= covers.to).map(({ id }) => id);
  expect(covered.length).toBeGreaterThan(64);
  expect(sources).toEqual(messageSources("c", covered));
  expect(sources).toHaveLength(64);

  const state = await conversation.state();
  const copy = await openConversation(client, { id: "copy" });
  await copy.loadState(state);
  expect((await copy.summary())!.sources).toEqual(messageSources("copy", covered));
  const silent = await openConversation(client, { id: "silent", sources: false });
  await silent.loadState(state);
  expect((await silent.summary())!.sources).toEqual([]);
});

it("an offloaded text is deleted with its message", async () => {
  const client = await openMemory();
  const conversation = await openConversation(client, { id: "c" });
  const { ids } = await conversation.add([
    { role: "assistant", content: "", tool_calls: [{ id: "1", name: "read", arguments: "{}" }] },
    { role: "tool", tool_call_id: "1", content: "long ".repeat(400) },
    ...NUMBERS,
  ]);
  const options = { thresholdTokens: 1_000, graceRounds: 1, offloadTokensMin: 50 };
  const window = new ContextWindow(conversation, options, { tokenCounter });
  await window.messages();
  expect(await window.reload("long")).toMatchObject([{ message: ids[1] }]);
  const key = { conversation: "c", message: ids[1]! };
  const { receipt } = await client.forget({
    keys: [key],
    tier: "episodic",
    namespace: "conversations",
    cascade: true,
  });
  expect(receipt.cascaded).toEqual([1]);
  expect(messageSources("c", [ids[1]!])).toEqual([keyHash(key)]);
});
