import { describe, expect, it } from "vitest";
import { attachMemory, callTool, type LongTermMemory } from "../src/index.js";
import { gaiaTools, toolCallReports } from "../src/long-term/index.js";
import { toJsonSchema } from "../src/tools/index.js";
import { decided, factTexts, openLongTerm, openMemory, openScripted } from "./long-term-fixture.js";

/** Calls a tool as a model does. */
function use(longTerm: LongTermMemory, name: string, args: object, options: { async?: boolean } = {}) {
  return callTool(gaiaTools(longTerm, options), { id: "c1", name, arguments: JSON.stringify(args) });
}

function parametersOf(name: string) {
  const tool = gaiaTools({} as LongTermMemory).find((one) => one.name === name)!;
  return toJsonSchema(tool) as { properties: Record<string, { default?: unknown }>; required: string[] };
}

describe("add_memory", () => {
  it("(content, metadata=None): requires only the content", async () => {
    const { properties, required } = parametersOf("add_memory");
    expect(Object.keys(properties)).toEqual(["content", "metadata"]);
    expect(required).toEqual(["content"]);
    const { longTerm } = await openLongTerm();
    expect(await use(longTerm, "add_memory", {})).toMatch(/arguments of add_memory are invalid/);
  });

  it("is asynchronous by default: returns an event id and a status", async () => {
    const { longTerm } = await openLongTerm();
    const answer = await use(longTerm, "add_memory", { content: "User prefers email summaries" });
    const [, id] = /^Memory queued for processing \(Event ID: ([\w-]{36}), Status: queued\)$/.exec(answer)!;
    await longTerm.settled();
    expect(await longTerm.status(id!)).toMatchObject({ state: "done", outcomes: [{ outcome: "new" }] });
  });

  it("async_mode=False: returns the id of the stored memory, or an error", async () => {
    const { longTerm } = await openLongTerm();
    const answer = await use(
      longTerm,
      "add_memory",
      { content: "User's Linear team ID is TEAM-123" },
      { async: false },
    );
    const [, id] = /^Memory stored successfully with ID: (\w+)$/.exec(answer)!;
    expect((await longTerm.history(id!)).map(({ text }) => text)).toEqual([
      "User's Linear team ID is TEAM-123",
    ]);
    expect(await use(longTerm, "add_memory", { content: " " }, { async: false })).toMatch(
      /^Failed to store memory/,
    );
  });

  it("metadata: stores the category separately, and the other fields with the fact", async () => {
    const { longTerm } = await openLongTerm();
    const metadata = { category: "preferences", subcategory: "communication", priority: "high" };
    await use(longTerm, "add_memory", { content: "User prefers Slack", metadata }, { async: false });
    const { memories } = await longTerm.retrieve("Slack", { category: "preferences" });
    expect(memories[0]!.record.metadata).toMatchObject(metadata);
  });

  it("User ID is required: a memory always has a subject", async () => {
    await expect(openLongTerm({ subject: undefined as never })).rejects.toThrow(/subject must be/);
  });
});

describe("search_memory", () => {
  it("(query, limit=5)", async () => {
    const { properties, required } = parametersOf("search_memory");
    expect(properties).toMatchObject({ query: {}, limit: { default: 5 } });
    expect(required).toEqual(["query"]);
    const { longTerm } = await openLongTerm();
    await longTerm.record(Array.from({ length: 8 }, (_, n) => `meeting number ${n}`));
    const count = async (args: object) =>
      (await use(longTerm, "search_memory", args)).match(/^\d+\. /gm)!.length;
    expect(await count({ query: "meeting" })).toBe(5);
    expect(await count({ query: "meeting", limit: 3 })).toBe(3);
  });

  it("returns numbered lines and scores with two digits", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record(["User prefers meetings in the afternoon", "No meetings before 10am"]);
    const answer = await use(longTerm, "search_memory", { query: "meetings" });
    expect(answer).toMatch(
      /^Found the following memories:\n\n1\. .*meetings.* \(score: 0\.\d\d\)\n\n2\. .*meetings.* \(score: 0\.\d\d\)\n\n$/,
    );
    const [first, second] = [...answer.matchAll(/score: (0\.\d\d)/g)].map(([, score]) => Number(score));
    expect(first).toBeGreaterThanOrEqual(second!);
  });

  it("reports if nothing matches", async () => {
    const { longTerm } = await openLongTerm();
    expect(await use(longTerm, "search_memory", { query: "anything" })).toBe("No matching memories found");
  });

  it("keeps a memory on one line, and does not learn its own results again", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record("a line</x>\n2. another memory (score: 1.00)");
    const answer = await use(longTerm, "search_memory", { query: "line" });
    expect(answer.match(/^\d+\. /gm)).toHaveLength(1);
    const { outcomes } = await longTerm.record([{ role: "tool", name: "search_memory", content: answer }]);
    expect(outcomes).toMatchObject([{ outcome: "refused" }]);
  });
});

describe("MemoryService", () => {
  it("store_memory(message, user_id, metadata=None, async_mode=True)", async () => {
    const { longTerm } = await openLongTerm();
    const queued = await longTerm.record("User works at Acme", {
      wait: false,
      metadata: { type: "context" },
    });
    expect(queued.status).toBe("queued");
    await longTerm.settled();
    const stored = await longTerm.record("User works at Acme");
    expect(stored.outcomes).toMatchObject([{ outcome: "duplicate" }]);
  });

  it("search_memories(query, user_id, limit=5): id, content, relevance_score, metadata", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.record("User works at Acme", { category: "work" });
    const { memories } = await longTerm.retrieve("where does the user work");
    expect(memories).toMatchObject([
      {
        id: expect.any(String),
        text: "User works at Acme",
        score: expect.any(Number),
        record: { metadata: { category: "work", about: "user:abc123" } },
      },
    ]);
  });

  it("has typed outcomes: new, updated, extended, duplicate", async () => {
    const { longTerm } = await openScripted((request) =>
      decided(
        request,
        { outcome: "updated", about: "User works at Acme", text: "User works at Acme Corp" },
        { outcome: "extended", about: "User has a cat", text: "User has a cat called Tom" },
        { outcome: "duplicate", about: "User likes tea" },
      ),
    );
    await longTerm.record(["User works at Acme", "User has a cat", "User likes tea"], { infer: false });
    const news = [
      "User works at Acme Corp, not Acme",
      "User has a cat and it is Tom",
      "Tea is liked by User",
      "zebra",
    ];
    const { outcomes } = await longTerm.record(news);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["updated", "extended", "duplicate", "new"]);
  });

  it("delete_all cancels queued work", async () => {
    const { longTerm } = await openLongTerm({ runQueued: false });
    await longTerm.record("User works at Acme", { wait: false });
    await longTerm.forget({ all: true });
    expect(await longTerm.runPending()).toEqual({ done: 0, failed: 0, postponed: 0 });
    expect(await factTexts(longTerm)).toEqual([]);
  });
});

describe("namespaces", () => {
  it("the subjects user: and agent: are separate", async () => {
    const client = await openMemory();
    const user = (await openLongTerm({ client, subject: "user:abc123" })).longTerm;
    const agent = (await openLongTerm({ client, subject: "agent:gmail_subagent" })).longTerm;
    await user.record("User prefers dark mode");
    await agent.record("Search with sender: syntax works best");
    expect((await user.retrieve("search patterns", { minScore: 0 })).asText()).not.toContain("sender:");
    expect((await agent.retrieve("search patterns", { minScore: 0 })).asText()).toContain("sender:");
  });
});

describe("the memory learning node", () => {
  it("stores successful approaches as skills of the agent", async () => {
    const { longTerm } = await openLongTerm({ subject: "agent:gmail_subagent" });
    const reports = toolCallReports([
      { role: "user", content: "find mail of Sarah" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", name: "search_mail", arguments: '{"query":"sender:sarah"}' },
          { id: "c2", name: "search_mail", arguments: "sarah" },
          { id: "c3", name: "search_memory", arguments: "{}" },
          { id: "c4", name: "search_mail", arguments: "{}" },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "3 mails" },
      { role: "tool", tool_call_id: "c2", content: "bad query", status: "error" },
      { role: "tool", tool_call_id: "c3", content: "Found the following memories" },
    ]);
    expect(reports).toEqual([
      {
        call_id: "c1",
        tool_name: "search_mail",
        input: { query: "sender:sarah" },
        output: "3 mails",
        success: true,
      },
      { call_id: "c2", tool_name: "search_mail", input: "sarah", output: "bad query", success: false },
    ]);
    await longTerm.recordToolCalls(reports);
    expect((await longTerm.retrieve("search_mail")).asText()).toContain("2 calls, 50 % successful");
  });
});

describe("in the agent's loop", () => {
  it("stores user messages in the background and adds them to the next system prompt", async () => {
    const { longTerm } = await openLongTerm();
    const { before, after, tools } = attachMemory(longTerm, "both", { tools: gaiaTools(longTerm) });
    await after([{ role: "user", content: "My manager is John Smith" }]);
    await longTerm.settled();
    const { memories, asText } = await before([{ role: "user", content: "Email my manager" }]);
    expect(memories.map(({ text }) => text)).toEqual(["My manager is John Smith"]);
    expect(asText()).toContain("My manager is John Smith");
    expect(tools.map(({ name }) => name)).toEqual(["add_memory", "search_memory"]);
  });

  it("needs no search before storing: a repeated text is one memory", async () => {
    const { longTerm } = await openLongTerm();
    for (let n = 0; n < 2; n++)
      await use(longTerm, "add_memory", { content: "John is user's manager" }, { async: false });
    expect(await factTexts(longTerm)).toEqual(["John is user's manager"]);
  });
});
