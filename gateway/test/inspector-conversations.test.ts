import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { openConversation } from "@membus/agentic";
import { keyHash, LIMITS } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { listConversations, readConversation } from "../src/inspector/conversations.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { TIMETABLE, tellTalk } from "./sample-conversations.js";

const fixture = new GatewayFixture();
let memory: AgentMemory;

const query = (fields: Record<string, string> = {}) => new URLSearchParams(fields);
const hashOf = (message: string) => keyHash({ conversation: "trip", message });

beforeAll(async () => {
  await fixture.start();
  memory = await MemoryClient.connect({ bus: await fixture.bus(), agent: "alice", timeoutMs: 60_000 });
  await tellTalk(memory);
});

afterAll(() => fixture.stop());

describe("the conversations of an agent", () => {
  it("are listed with their counts, newest first", async () => {
    const { conversations, total } = await listConversations(memory, query());
    expect(total).toBe(2);
    expect(conversations).toMatchObject([
      { id: "weather", messages: 1, summaries: 0 },
      { id: "trip", messages: 6, summaries: 1 },
    ]);
  });

  it("are listed in pages", async () => {
    const first = await listConversations(memory, query({ limit: "1" }));
    const next = await listConversations(memory, query({ limit: "1", cursor: first.cursor! }));
    expect([first, next].map(({ conversations }) => conversations.map(({ id }) => id))).toEqual([
      ["weather"],
      ["trip"],
    ]);
  });

  it("do not include conversations of other agents", async () => {
    const reply = await listConversations(memory.forAgent("bob"), query());
    expect(reply).toEqual({ conversations: [], total: 0, degraded: [] });
  });

  it.each([
    [{ limit: "0" }],
    [{ limit: "201" }],
    [{ limit: "many" }],
    [{ tier: "attic" }],
    [{ namespace: "n".repeat(5_000) }],
  ])("are rejected for %o", async (fields) => {
    await rejection(listConversations(memory, query(fields as never)), "schema_violation");
  });
});

describe("a conversation", () => {
  it("is a chat in chronological order, with calls and results", async () => {
    const { messages, total, cursor } = await readConversation(memory, query({ id: "trip" }));
    expect([total, cursor]).toEqual([6, undefined]);
    expect(messages.map(({ id, role, author }) => [id, role, author])).toEqual([
      ["m1", "user", "alice"],
      ["m2", "assistant", "alice"],
      ["m3", "tool", "alice"],
      ["m4", "assistant", "alice"],
      ["m5", "user", "alice"],
      ["m6", "assistant", "alice"],
    ]);
    expect(messages[0]).toMatchObject({ text: "I live in Rome and like trains.", key_hash: hashOf("m1") });
    expect(messages[1]!.tool_calls).toEqual([
      { id: "call-1", name: "timetable", arguments: '{"to":"Rome"}' },
    ]);
    expect(messages[2]).toMatchObject({ name: "timetable", tool_call_id: "call-1", text: TIMETABLE });
  });

  it("has the first words of the user as its title, on every page", async () => {
    const titleOf = async (fields: Record<string, string>) =>
      (await readConversation(memory, query(fields))).title;
    expect(await titleOf({ id: "trip" })).toBe("I live in Rome and like trains.");
    expect(await titleOf({ id: "trip", limit: "1" })).toBe("I live in Rome and like trains.");
    expect(await titleOf({ id: "unknown" })).toBeUndefined();
  });

  it("is read backwards, page by page", async () => {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const fields = { id: "trip", limit: "4", ...(cursor !== undefined && { cursor }) };
      const page = await readConversation(memory, query(fields));
      pages.push(page.messages.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(pages).toEqual([
      ["m3", "m4", "m5", "m6"],
      ["m1", "m2"],
    ]);
  });

  it("includes summaries and offloads", async () => {
    const { summaries, offloads, messages } = await readConversation(memory, query({ id: "trip" }));
    const [first, , , fourth] = messages;
    expect(summaries).toMatchObject([
      {
        text: "They talked about trains to Rome.",
        key_facts: ["The user lives in Rome"],
        open_threads: ["Which train?"],
        covers: { from: first!.seq, to: fourth!.seq },
        level: 1,
      },
    ]);
    expect(offloads).toEqual([{ message: "m3", bytes: Buffer.byteLength(TIMETABLE), tool: "timetable" }]);
  });

  it("includes entries that were learned from its messages", async () => {
    const { learned, learned_truncated } = await readConversation(memory, query({ id: "trip" }));
    expect(learned_truncated).toBe(false);
    expect(learned.map(({ kind, text, sources }) => ({ kind, text, sources })).sort(byKind)).toEqual([
      { kind: "fact", text: "lives in Rome", sources: [hashOf("m1")] },
      { kind: "triple", text: "Tiber flows through Rome", sources: [hashOf("m5"), hashOf("m6")] },
    ]);
  });

  it("shows the beginning of a message that is stored in parts", async () => {
    const long = await openConversation(memory.forAgent("bob"), { id: "long" });
    await long.add({ id: "l1", message: { role: "user", content: "word ".repeat(LIMITS.entryBytes / 4) } });
    const { messages, total } = await readConversation(memory.forAgent("bob"), query({ id: "long" }));
    expect(total).toBe(1);
    expect(messages).toMatchObject([{ id: "l1", role: "user", truncated: true }]);
    expect(messages[0]!.text.startsWith("word word ")).toBe(true);
    expect(messages[0]!.text.length).toBeLessThanOrEqual(8_000);
  });

  it("shows the beginning of a summary that is stored in parts", async () => {
    const bob = memory.forAgent("bob");
    const talk = await openConversation(bob, { id: "long-summary" });
    for (const id of ["s1", "s2"]) await talk.add({ id, message: { role: "user", content: id } });
    const [first, second] = await talk.get();
    const covers = { from: first!.seq, to: second!.seq };
    await talk.setSummary({ text: "word ".repeat(LIMITS.entryBytes / 4), covers });
    const { summaries } = await readConversation(bob, query({ id: "long-summary" }));
    expect(summaries).toMatchObject([{ covers, level: 1 }]);
    expect(summaries[0]!.text.startsWith("word word ")).toBe(true);
    expect(summaries[0]!.text.length).toBeLessThanOrEqual(4_000);
  });

  it("shows a summary over the messages that its metadata name", async () => {
    const copy = { text: "copied", key_facts: [], open_threads: [], covers: { from: 1, to: 2 } };
    const metadata = { kind: "summary", level: 1, from: 11, to: 12 };
    const key = { conversation: "copied", summary: "2" };
    const place = { tier: "episodic", group: "copied" } as const;
    const bob = memory.forAgent("bob");
    await bob.inNamespace("conversations").store({ key, content: copy, metadata, ...place });
    const { summaries } = await readConversation(bob, query({ id: "copied" }));
    expect(summaries).toMatchObject([{ text: "copied", covers: { from: 11, to: 12 } }]);
  });

  it("shows calls, results and images among the parts of a message", async () => {
    const parts = await openConversation(memory.forAgent("bob"), { id: "parts" });
    await parts.add([
      {
        id: "p1",
        message: {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "c9", name: "look", input: { at: 1 } },
          ],
        },
      },
      {
        id: "p2",
        message: {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c9", content: [{ type: "text", text: "seen" }] },
            { type: "image_url", image_url: { url: "data:," } },
          ],
        },
      },
    ]);
    const { messages } = await readConversation(memory.forAgent("bob"), query({ id: "parts" }));
    expect(messages[0]).toMatchObject({
      text: "I look.",
      tool_calls: [{ id: "c9", name: "look", arguments: '{"at":1}' }],
    });
    expect(messages[1]).toMatchObject({ text: "seen\n[image]", tool_call_id: "c9" });
  });

  it("marks learned entries as incomplete if there are too many namespaces", async () => {
    const eve = memory.forAgent("eve");
    await tellTalk(eve);
    for (let n = 0; n <= LIMITS.subtreePartitions; n++) {
      await eve.inNamespace(`shelf-${n}`).store({ key: "k", content: n, tier: "episodic" });
    }
    const { learned, learned_truncated } = await readConversation(eve, query({ id: "trip" }));
    expect(learned.map(({ kind }) => kind).sort()).toEqual(["fact", "triple"]);
    expect(learned_truncated).toBe(true);
  });

  it("is empty if it does not exist", async () => {
    expect(await readConversation(memory, query({ id: "nothing" }))).toEqual({
      id: "nothing",
      messages: [],
      total: 0,
      summaries: [],
      offloads: [],
      learned: [],
      learned_truncated: false,
      degraded: [],
    });
  });

  it("requires an id", async () => {
    await rejection(readConversation(memory, query()), "schema_violation");
  });
});

function byKind(a: { kind: string | undefined }, b: { kind: string | undefined }): number {
  return String(a.kind) < String(b.kind) ? -1 : 1;
}
