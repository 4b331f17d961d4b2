import type { MemoryClient } from "@membus/agent-client";
import { openConversation } from "@membus/agentic";
import { summaryEntry } from "@membus/agentic/conversation";
import { systemClock } from "@membus/protocol";
import { splitRecord } from "@membus/protocol/records";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSource } from "../../src/import/foreign-format.js";
import { importSource } from "../../src/import/import-source.js";
import { ExportFixture, exportTo, importFrom } from "./export-fixture.js";

let fixture: ExportFixture;
let source: MemoryClient;
let target: MemoryClient;

beforeAll(async () => {
  fixture = await ExportFixture.create();
  source = (await fixture.host("source")).client;
  target = (await fixture.host("target")).client;
});

afterAll(() => fixture.stop());

interface Said {
  readonly id: string;
  /** Unix seconds. An export is ordered by them. */
  readonly at: number;
  readonly expiresAt?: number;
}

/** Stores messages in this order. Returns their positions. */
async function say(group: string, messages: readonly Said[]): Promise<number[]> {
  const entries = messages.map(({ id, at, expiresAt }) => ({
    key: { conversation: group, message: id },
    content: { role: "user", content: id },
    metadata: { kind: "message", role: "user" },
    ...{ group, occurred_at: at, tier: "episodic" as const },
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  }));
  const { receipts } = await source.inNamespace("conversations").store(entries);
  return receipts.map(({ revision }) => revision);
}

const summaryOf = (group: string, [from, to]: readonly [number, number], text: string) => ({
  ...summaryEntry(group, {
    ...{ text, keyFacts: [], openThreads: [], covers: { from, to }, level: 1 },
    ...{ userRequests: "", images: [], sources: [] },
  }),
  ...{ group, tier: "episodic" as const },
});

async function summarize(group: string, range: readonly [number, number], text: string): Promise<void> {
  await source.inNamespace("conversations").store(splitRecord(summaryOf(group, range, text)));
}

/** Exports a conversation, without the entry of `without`, and imports it. */
async function move(group: string, without?: string) {
  const path = fixture.path(`${group}.jsonl`);
  const isKept = { not: { field: "key.message", op: "eq" as const, value: without ?? "" } };
  await exportTo(source, path, { criteria: { group, where: isKept } });
  const report = await importFrom(target, path);
  return { report, conversation: await openConversation(target, { id: group }) };
}

it.each(["a", "b"])("forgets an imported summary with message %s, exported in another order", async (id) => {
  const [a, b] = await say(`order-${id}`, [
    { id: "a", at: 30 },
    { id: "b", at: 10 },
    { id: "c", at: 20 },
  ]);
  await summarize(`order-${id}`, [a!, b!], "about a and b");
  const { conversation } = await move(`order-${id}`);
  expect(await conversation.summary()).toMatchObject({ text: "about a and b" });
  await conversation.remove({ ids: [id] });
  expect(await conversation.summary()).toBeUndefined();
});

it("keeps the order of messages, also of those that expire", async () => {
  const expiresAt = Math.floor(systemClock.now()) + 3_600;
  await say("in-order", [
    { id: "a", at: 30 },
    { id: "b", at: 10, expiresAt },
    { id: "c", at: 20 },
    { id: "d", at: 40, expiresAt },
    { id: "e", at: 50 },
  ]);
  const { report, conversation } = await move("in-order");
  expect((await conversation.get()).map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e"]);
  expect(report).toMatchObject({ items: 5, stored: 5 });
  expect((await move("in-order")).report).toMatchObject({ stored: 0, unchanged: 5 });
});

it.each(["first", "last"])(
  "forgets an imported summary if the host does not have its %s message",
  async (end) => {
    const group = `without-${end}`;
    const seqs = await say(group, [
      { id: "first", at: 1 },
      { id: "middle", at: 2 },
      { id: "last", at: 3 },
    ]);
    await summarize(group, [seqs[0]!, seqs[2]!], "about all");
    const { conversation } = await move(group, end);
    expect(await conversation.summary()).toMatchObject({ text: "about all" });
    await conversation.remove({ ids: ["middle"] });
    expect(await conversation.summary()).toBeUndefined();
  },
);

it("rejects a summary of messages that are not on the host, and keeps the others", async () => {
  const group = "without-messages";
  const [one, two] = await say(group, [
    { id: "one", at: 1 },
    { id: "two", at: 2 },
  ]);
  await summarize(group, [one!, one!], "about one");
  await summarize(group, [two!, two!], "about two");
  const { report, conversation } = await move(group, "one");
  expect(report.failed).toEqual({ schema_violation: 1 });
  expect(report.examples.schema_violation?.message).toBe(
    "the messages that it describes are not on the host: they were rejected, or have expired",
  );
  expect(await conversation.summary()).toMatchObject({ text: "about two" });
});

it("rejects a second summary of the same messages instead of overwriting the first", async () => {
  const group = "same-messages";
  const [one, two] = await say(group, [
    { id: "one", at: 1 },
    { id: "two", at: 2 },
  ]);
  await summarize(group, [one!, one!], "about one");
  await summarize(group, [one!, two!], "about both");
  const { report, conversation } = await move(group, "two");
  expect(report.failed).toEqual({ schema_violation: 1 });
  expect(report.examples.schema_violation?.message).toMatch(
    /^an earlier record of this file describes the same messages/,
  );
  expect(await conversation.summary()).toMatchObject({ text: "about one" });
});

it("rejects a second summary of the same messages after an interruption too", async () => {
  const group = "interrupted";
  const messages = Array.from({ length: 101 }, (_, n) => ({ id: `m${n}`, at: n }));
  const seqs = await say(group, messages);
  const summaries = seqs.map((seq, n) => summaryOf(group, [seqs[0]!, seq], `about m0 to m${n}`));
  await source.inNamespace("conversations").store(summaries);
  const path = fixture.path("interrupted.jsonl");
  const where = { not: { field: "key.message", op: "eq" as const, value: "m100" } };
  await exportTo(source, path, { criteria: { group, where } });
  const file = await openSource(path);
  let batches = 0;
  const onProgress = () => {
    if (++batches === 2) throw new Error("interrupted");
  };
  const options = { defaults: { tier: "episodic" }, bus: "test", onProgress };
  await expect(importSource(target, file, options)).rejects.toThrow("interrupted");
  const report = await importSource(target, file, options);
  expect(report).toMatchObject({ items: 201, stored: 200, failed: { schema_violation: 1 } });
  expect(report.examples.schema_violation?.message).toMatch(/^an earlier record/);
});

it("reads the new range of a summary in parts", async () => {
  const group = "in-parts";
  await say("other", [{ id: "x", at: 1 }]);
  const [one, two] = await say(group, [
    { id: "one", at: 1 },
    { id: "two", at: 2 },
  ]);
  await summarize(group, [one!, two!], "x".repeat(300_000));
  const { conversation } = await move(group);
  const [first, second] = await conversation.get();
  expect(first!.seq).not.toBe(one);
  expect((await conversation.summary())?.covers).toEqual({ from: first!.seq, to: second!.seq });
});
