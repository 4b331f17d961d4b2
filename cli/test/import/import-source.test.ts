import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { EntityGraph, openConversation } from "@membus/agentic";
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/import/foreign-format.js";
import { previewImport } from "../../src/import/import-preview.js";
import { clearProgress } from "../../src/import/import-progress.js";
import { importSource } from "../../src/import/import-source.js";
import { openImportFixture } from "./import-fixture.js";

const fixture = openImportFixture();

async function run(path: string, from: string, user?: string) {
  const source = await openSource(path, { from, user });
  const report = await importSource(fixture.memory.client, source, {
    defaults: { tier: "episodic" },
    bus: "test",
    onProgress: () => {},
  });
  await clearProgress(path);
  return report;
}

const lines = (path: string) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);

describe("mem0", () => {
  const rows = [
    {
      id: "m1",
      memory: "Ada grows tomatoes on her balcony",
      user_id: "ada",
      metadata: { category: "hobby", source: { app: "chat" }, trust: "high" },
      created_at: "2024-05-01T10:00:00+00:00",
    },
    { id: "m2", memory: "Speaks Portuguese", user_id: null },
    { id: "m3", user_id: "ada" },
  ];

  it("finds memories with Memory.search of their user, with their times and metadata", async () => {
    const path = await fixture.write("mem0.json", JSON.stringify({ results: rows }));
    const report = await run(path, "mem0", "bob");
    expect(report).toMatchObject({ stored: 2, unchanged: 0, failed: { schema_violation: 1 } });
    const [found] = await fixture.memory.search("tomatoes", { user: "ada" });
    expect(found?.text).toBe("Ada grows tomatoes on her balcony");
    const { entries } = await fixture.memory.client.retrieve({ namespace: "about/user:ada", limit: 10 });
    expect(entries[0]).toMatchObject({
      occurred_at: 1_714_557_600,
      metadata: {
        category: "hobby",
        source: '{"app":"chat"}',
        mem0_trust: "high",
        trust: "user",
        mem0_id: "m1",
      },
    });
    expect((await fixture.memory.search("Portuguese", { user: "bob" }))[0]?.text).toBe("Speaks Portuguese");
    expect(lines(`${path}.rejected.jsonl`)).toEqual([
      { line: 3, code: "schema_violation", message: expect.stringMatching(/^memory: /) },
    ]);
  });

  it("changes nothing a second time, also from a bare list", async () => {
    const path = await fixture.write("list.json", JSON.stringify(rows.slice(0, 2)));
    expect(await run(path, "mem0", "bob")).toMatchObject({ stored: 0, unchanged: 2, failed: {} });
    expect(existsSync(`${path}.rejected.jsonl`)).toBe(false);
  });

  it("rejects memories without a user", async () => {
    const path = await fixture.write("without-user.json", JSON.stringify([{ id: "m9", memory: "It rains" }]));
    const { stored, examples } = await run(path, "mem0");
    expect(stored).toBe(0);
    expect(examples.schema_violation).toEqual({ line: 1, message: "has no user_id. Name one with --user" });
  });
});

describe("mcp", () => {
  const entity = (observations: string[]) =>
    JSON.stringify({ type: "entity", name: "Lisbon", entityType: "city", observations });
  const relation = JSON.stringify({ type: "relation", from: "Ada", to: "Lisbon", relationType: "lives in" });
  const graph = () =>
    new EntityGraph(fixture.memory.client, {
      namespace: fixture.memory.client.namespace,
      tier: "episodic",
      spelling: "exact",
    });

  it("imports a graph that the graph tools read, and merges entities of one name", async () => {
    const path = await fixture.write(
      "memory.jsonl",
      [entity(["hilly"]), relation, entity(["sunny"]), "{"].join("\n"),
    );
    const report = await run(path, "mcp");
    expect(report).toMatchObject({ stored: 2, unchanged: 0, failed: { parse_error: 1 } });
    expect(await graph().readGraph()).toMatchObject({
      entities: [{ name: "Lisbon", entityType: "city", observations: ["hilly", "sunny"] }],
      relations: [{ from: "Ada", to: "Lisbon", relationType: "lives in" }],
    });
    expect(await run(path, "mcp")).toMatchObject({ stored: 0, unchanged: 2 });
  });

  it("adds new observations of a later file and keeps those that were added since", async () => {
    await graph().addObservations([{ entityName: "Lisbon", contents: ["mine"] }]);
    const path = await fixture.write("later.jsonl", entity(["hilly", "coastal"]));
    expect(await run(path, "mcp")).toMatchObject({ stored: 1, unchanged: 0 });
    const { entities } = await graph().readGraph();
    expect(entities[0]?.observations).toEqual(["hilly", "sunny", "mine", "coastal"]);
  });
});

it("reports an entity that would become too large, and imports the others", async () => {
  const city = (name: string, observation: string) =>
    JSON.stringify({ type: "entity", name, entityType: "city", observations: [observation] });
  await run(await fixture.write("big.jsonl", city("Porto", "a".repeat(150_000))), "mcp");
  const path = await fixture.write(
    "bigger.jsonl",
    [city("Porto", "b".repeat(150_000)), city("Faro", "small")].join("\n"),
  );
  expect(await run(path, "mcp")).toMatchObject({ stored: 1, unchanged: 0, failed: { too_large: 1 } });
  expect(lines(`${path}.rejected.jsonl`)).toMatchObject([{ line: 1, code: "too_large" }]);
});

describe("markdown", () => {
  it("stores one entry for each heading with its path, tags and time, and updates a changed section", async () => {
    const note = [
      "---",
      "title: Coffee",
      "tags: [drinks, '#home']",
      "created: 2023-03-04",
      "---",
      "Before any heading.",
      "# Coffee",
      "## Water",
      "93 degrees",
      "```sh",
      "# a comment, no heading",
      "```",
      "## Water",
      "filtered",
    ];
    await fixture.write("vault/notes/coffee.md", note.join("\r\n"));
    await fixture.write("vault/.obsidian/hidden.md", "# hidden\ntext");
    await fixture.write("vault/AGENTS.md", "---\na: [\n---\n# Rules\nUse tabs.");
    const vault = join(fixture.folder, "vault");
    const report = await run(vault, "markdown");
    expect(report).toMatchObject({ stored: 4, failed: { parse_error: 1 } });
    expect(lines(`${vault}.rejected.jsonl`)).toMatchObject([{ file: "vault/AGENTS.md", line: 1 }]);
    const { entries } = await fixture.memory.client.retrieve({
      group: "vault/notes/coffee.md",
      order: "oldest",
    });
    expect(entries.map(({ key, content }) => [key.heading, content])).toEqual([
      ["", { text: "Before any heading." }],
      ["Coffee > Water", { text: "93 degrees\n```sh\n# a comment, no heading\n```" }],
      ["Coffee > Water", { text: "filtered" }],
    ]);
    expect(entries[1]).toMatchObject({
      tags: ["drinks", "home"],
      occurred_at: 1_677_888_000,
      metadata: { title: "Coffee", file: "vault/notes/coffee.md" },
    });
    expect(await run(vault, "markdown")).toMatchObject({ stored: 0, unchanged: 4 });
    await fixture.write("vault/notes/coffee.md", note.join("\n").replace("filtered", "soft"));
    expect(await run(vault, "markdown")).toMatchObject({ stored: 1, unchanged: 3 });
  });
});

const node = (id: string, parent: string | null, role: string, text: string, hidden = false) => ({
  id,
  parent,
  children: [],
  message: {
    id: `m-${id}`,
    author: { role, name: null },
    create_time: 1_700_000_000.5,
    content: { content_type: "text", parts: [text] },
    metadata: hidden ? { is_visually_hidden_from_conversation: true } : {},
  },
});

describe("chatgpt", () => {
  it("opens the shown branch as a conversation", async () => {
    const mapping = {
      root: { id: "root", parent: null, children: [], message: null },
      a: node("a", "root", "system", "hidden", true),
      b: node("b", "a", "user", "Name a tree"),
      c: node("c", "b", "assistant", "Oak"),
      d: node("d", "b", "assistant", "x".repeat(300_000)),
    };
    const conversation = {
      title: "Trees",
      create_time: 1,
      conversation_id: "c1",
      mapping,
      current_node: "d",
    };
    const path = await fixture.write(
      "chatgpt/conversations.json",
      JSON.stringify([conversation, { id: "broken" }]),
    );
    const report = await run(path, "chatgpt");
    expect(report).toMatchObject({ stored: 2, failed: { schema_violation: 1 } });
    const opened = await openConversation(fixture.memory.client, { id: "chatgpt:c1" });
    const messages = await opened.get();
    expect(messages.map(({ message }) => [message.role, (message.content as string).length])).toEqual([
      ["user", 11],
      ["assistant", 300_000],
    ]);
    const { entries } = await fixture.memory.client.retrieve({
      namespace: "conversations",
      group: "chatgpt:c1",
    });
    expect(new Set(entries.map(({ occurred_at }) => occurred_at))).toEqual(new Set([1_700_000_000.5]));
    expect(await run(path, "chatgpt")).toMatchObject({ stored: 0, unchanged: 2 });
  });
});

describe("claude", () => {
  const conversation = {
    uuid: "k1",
    name: "Rivers",
    created_at: "2024-01-15T10:30:00Z",
    chat_messages: [
      {
        uuid: "k1-1",
        sender: "human",
        text: "Longest river?",
        created_at: "2024-01-15T10:30:00.000000Z",
        attachments: [{ file_name: "notes.txt", extracted_content: "Nile" }],
      },
      { uuid: "k1-2", sender: "assistant", text: "", content: [{ type: "text", text: "The Nile" }] },
      { uuid: "k1-3", sender: "robot", text: "?" },
    ],
  };

  it("opens as a conversation with roles and times", async () => {
    const path = await fixture.write("claude/conversations.json", JSON.stringify([conversation]));
    expect(await run(path, "claude")).toMatchObject({ stored: 2, failed: { schema_violation: 1 } });
    const opened = await openConversation(fixture.memory.client, { id: "claude:k1" });
    expect((await opened.get()).map(({ message }) => message)).toEqual([
      { role: "user", content: "Longest river?\n\nnotes.txt:\nNile" },
      { role: "assistant", content: "The Nile" },
    ]);
    expect(await run(path, "claude")).toMatchObject({ stored: 0, unchanged: 2 });
  });

  it("previews without storing", async () => {
    const path = await fixture.write(
      "dry/conversations.json",
      JSON.stringify([{ ...conversation, uuid: "k2" }]),
    );
    const preview = await previewImport(await openSource(path, { from: "claude" }), "semantic");
    expect(preview).toMatchObject({ kinds: { message: 2 }, tiers: { semantic: 2 }, rejected: 1 });
    expect(preview.samples).toHaveLength(2);
    expect(await (await openConversation(fixture.memory.client, { id: "claude:k2" })).size()).toBe(0);
    expect(existsSync(`${path}.membus-import`)).toBe(false);
  });
});

it("refuses an unknown format, and a folder without files of the format", async () => {
  await mkdir(join(fixture.folder, "empty"));
  await expect(openSource(fixture.folder, { from: "zip" })).rejects.toThrow(
    "--from must be one of mem0, mcp",
  );
  await expect(openSource(join(fixture.folder, "empty"), { from: "markdown" })).rejects.toThrow(
    "has no file",
  );
  await expect(openSource(fixture.folder)).rejects.toThrow("it is not a file");
});
