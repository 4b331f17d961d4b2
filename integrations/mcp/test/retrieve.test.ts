import { afterAll, beforeAll, expect, it } from "vitest";
import type { ConnectedClient } from "./mcp-clients.js";
import { McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
let client: ConnectedClient;
beforeAll(async () => {
  await fixture.start();
  client = await fixture.client("stdio", "2026-07-28", ["--namespace", "long"]);
  const memories = Array.from({ length: 30 }, (_, number) => ({
    key: `pump-${number}`,
    content: `Pump ${number} ${"cools ".repeat(20)}`,
    tags: [number % 2 === 0 ? "even" : "odd"],
  }));
  await client.call("memory_store", { memories });
});
afterAll(() => fixture.stop());

interface Page {
  readonly memories: readonly {
    readonly key: string;
    readonly content: string;
    readonly uri: string;
    readonly cut?: boolean;
  }[];
  readonly total: number;
  readonly note?: string;
  readonly cursor?: string;
}

async function retrieved(args: Record<string, unknown> = {}): Promise<Page> {
  const { structured, isError, text } = await client.call("memory_retrieve", args);
  expect([isError, text.slice(0, 1)]).toEqual([false, "{"]);
  return structured as unknown as Page;
}

it("returns ten by default, reports that there are more, and continues with the cursor", async () => {
  const first = await retrieved();
  expect([first.memories.length, first.total]).toEqual([10, 30]);
  expect(first.note).toBe("Showing 10 of 30. Use a narrower query, raise limit, or continue with cursor.");
  const rest = await retrieved({ limit: 100, cursor: first.cursor });
  expect(rest.memories).toHaveLength(20);
  expect([rest.note, rest.cursor]).toEqual([undefined, undefined]);
  expect(new Set([...first.memories, ...rest.memories].map(({ key }) => key)).size).toBe(30);
});

it("finds by query, tags, tier and score", async () => {
  const odd = await retrieved({ tags: ["odd"], limit: 100 });
  expect(odd.total).toBe(15);
  expect((await retrieved({ query: "pump 17" })).memories[0]!.key).toBe("pump-17");
  expect((await retrieved({ tier: "working" })).memories).toEqual([]);
  expect((await retrieved({ query: "violins", min_score: 0.9 })).memories).toEqual([]);
});

it("reports a cut result, and continues after the last memory shown", async () => {
  const whole = await retrieved({ limit: 30, max_chars: 200_000 });
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await retrieved({ limit: 20, max_chars: 2_000, ...(cursor && { cursor }) });
    keys.push(...page.memories.map(({ key }) => key));
    cursor = page.cursor;
    expect(page.memories.length).toBeGreaterThan(1);
    expect(page.memories.length).toBeLessThan(10);
    expect(JSON.stringify({ memories: page.memories }, null, 2).length).toBeLessThanOrEqual(2_000);
    const note = `Cut to ${page.memories.length} of ${page.total} by max_chars. Use a narrower query, or continue with cursor.`;
    expect(page.note).toBe(cursor === undefined ? undefined : note);
  } while (cursor !== undefined);
  expect(keys).toEqual(whole.memories.map(({ key }) => key));
});

it("continues after a memory that was cut, and explains how to read all of it", async () => {
  const contents = ["first", "second"].map((word) => `${word} ${"wide ".repeat(500)}`);
  for (const content of contents)
    await client.call("memory_store", { memories: [{ key: content.slice(0, 5), content, tags: ["wide"] }] });
  const first = await retrieved({ tags: ["wide"], max_chars: 1_000 });
  expect(first).toMatchObject({ memories: [{ key: "secon", cut: true }], cursor: expect.any(String) });
  expect(first.note).toBe(
    "memory_recall returns the full content of a cut memory by its uri. Cut to 1 of 2 by max_chars. Use a narrower query, or continue with cursor.",
  );
  const { structured } = await client.call("memory_recall", { key: first.memories[0]!.uri });
  expect(structured).toEqual({ found: true, value: contents[1] });
  const second = await retrieved({ tags: ["wide"], max_chars: 1_000, cursor: first.cursor });
  expect(second).toMatchObject({ memories: [{ key: "first", cut: true }] });
  expect([second.note, second.cursor]).toEqual([
    "memory_recall returns the full content of a cut memory by its uri.",
    undefined,
  ]);
  await client.call("memory_forget", { keys: ["first", "secon"] });
});

it("returns the beginning of a memory that is too long", async () => {
  const content = `Violins ${'"high" or\nlow, '.repeat(200)}`;
  await client.call("memory_store", { memories: [{ key: "violins", content, tags: ["music", "even"] }] });
  const { memories, note } = await retrieved({ tags: ["music"], max_chars: 1_000 });
  expect(memories).toEqual([expect.objectContaining({ key: "violins", cut: true })]);
  expect(content.startsWith(memories[0]!.content)).toBe(true);
  expect(memories[0]!.content.length).toBeGreaterThan(400);
  expect(JSON.stringify({ memories }, null, 2).length).toBeLessThanOrEqual(1_000);
  expect(note).toBe("memory_recall returns the full content of a cut memory by its uri.");
  await client.call("memory_forget", { keys: ["violins"] });
});

it("returns no memory if its other fields are too long", async () => {
  const tags = Array.from({ length: 10 }, (_, number) => `wordy ${number} ${"x".repeat(200)}`);
  await client.call("memory_store", { memories: [{ key: "tagged", content: "short", tags }] });
  const { memories, note } = await retrieved({ tags: [tags[0]!], max_chars: 1_000 });
  expect(memories).toEqual([]);
  expect(note).toBe("Cut to 0 of 1 by max_chars. Use a narrower query, or raise max_chars.");
  expect(await retrieved({ tags: [tags[0]!] })).toMatchObject({ memories: [{ key: "tagged" }] });
  await client.call("memory_forget", { keys: ["tagged"] });
});

it("shows keys of other programs as JSON, and reads them by URI", async () => {
  const memory = await fixture.memory("long");
  await memory.store({ key: { conversation: "trip", seq: 3 }, content: { said: "hello" }, tier: "semantic" });
  const { memories } = await retrieved({ tier: "semantic" });
  expect(memories).toEqual([expect.objectContaining({ key: '{"conversation":"trip","seq":3}' })]);
});

it("offers no writing tools with --read-only", async () => {
  const reader = await fixture.client("http", "former", ["--namespace", "long", "--read-only"]);
  expect((await reader.tools()).map(({ name }) => name)).toEqual(["memory_retrieve", "memory_recall"]);
  const refused = await reader.call("memory_store", { memories: [{ content: "x" }] }).catch((error) => error);
  expect(JSON.stringify(refused) + String(refused)).toContain("memory_store");
  expect((await reader.call("memory_recall", { key: "pump-1" })).structured).toMatchObject({ found: true });
});

it("stores in the tier of --tier unless a call gives another", async () => {
  const flags = ["--namespace", "tiers", "--tier", "semantic", "--agent", "bob"];
  const bob = await fixture.client("stdio", "former", flags);
  await bob.call("memory_store", { memories: [{ content: "shared by Bob" }] });
  await bob.call("memory_store", { memories: [{ content: "Bob's own" }], tier: "episodic" });
  const other = await fixture.memory("tiers", "alice");
  const { entries } = await other.retrieve();
  expect(entries.map(({ content, author }) => [content, author])).toEqual([["shared by Bob", "bob"]]);
});
