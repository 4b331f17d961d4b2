import { join } from "node:path";
import { Blocks, openConversation } from "@membus/agentic";
import { MembusStore } from "@membus/integrations/langgraph";
import { describe, expect, it } from "vitest";
import { importFrom } from "../export/export-fixture.js";
import { openImportFixture } from "./import-fixture.js";

const fixture = openImportFixture();

describe("langgraph", () => {
  const items = [
    {
      namespace: ["memories", "ada"],
      key: "drink",
      value: { text: "prefers tea", strength: 3 },
      created_at: "2024-05-01T10:00:00+00:00",
      updated_at: "2024-06-01T10:00:00+00:00",
    },
    { prefix: "memories.bob", key: "drink", value: '{"text":"prefers coffee","strength":1}' },
    { namespace: "memories.ada", key: "later", value: { kind: "visit" }, expires_at: "2100-01-01T00:00:00Z" },
    { namespace: ["memories"], key: "broken", value: "no object" },
    { key: "nowhere", value: {} },
  ];

  it("imports items that MembusStore finds, filters and lists, with their times", async () => {
    const path = await fixture.write("items.json", items);
    const report = await importFrom(fixture.memory.client, path, "langgraph");
    expect(report).toMatchObject({ stored: 3, unchanged: 0, failed: { schema_violation: 2 } });
    const store = new MembusStore(fixture.memory.client);
    expect(await store.get(["memories", "ada"], "drink")).toMatchObject({
      namespace: ["memories", "ada"],
      key: "drink",
      value: { text: "prefers tea", strength: 3 },
    });
    const found = await store.search(["memories"], { filter: { strength: 1 } });
    expect(found.map(({ namespace }) => namespace)).toEqual([["memories", "bob"]]);
    expect(await store.listNamespaces()).toEqual([
      ["memories", "ada"],
      ["memories", "bob"],
    ]);
    const { entries } = await fixture.memory.client.retrieve({
      namespace: "langgraph/store",
      order: "oldest",
    });
    expect(entries[0]).toMatchObject({
      occurred_at: 1_714_557_600,
      metadata: { langgraph_updated: 1_717_236_000 },
    });
  });

  it("changes nothing a second time, also from lines", async () => {
    const lines = items.slice(0, 3).map((item) => JSON.stringify(item));
    const path = await fixture.write("items.jsonl", lines.join("\n"));
    expect(await importFrom(fixture.memory.client, path, "langgraph")).toMatchObject({
      stored: 0,
      unchanged: 3,
      failed: {},
    });
  });
});

describe("letta", () => {
  const message = (role: string, text: string, minute: number, others = {}) => ({
    id: `message-${minute}`,
    role,
    content: [{ type: "text", text }],
    created_at: `2025-01-01T10:0${minute}:00+00:00`,
    ...others,
  });
  const call = (name: string, args: object) => ({
    id: "call-1",
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  });
  const messages = [
    message("system", "the compiled prompt", 0),
    message("user", '{"type":"login","last_login":"never"}', 1),
    message("user", '{"type":"user_message","message":"I moved to Porto","time":"now"}', 2),
    message("assistant", "The user has moved.", 3, {
      tool_calls: [call("send_message", { message: "How is Porto?" })],
    }),
    message("tool", '{"status":"OK"}', 4),
    message("assistant", "Plain words", 5),
  ];
  const file = {
    agents: [{ id: "agent-0", name: "scout", block_ids: ["block-0", "block-1"], messages }],
    blocks: [
      { id: "block-0", label: "human", value: "Name: Ada", limit: 5_000, description: "The user" },
      { id: "block-1", label: "persona", value: "I am brief.", limit: 300, read_only: true },
      { id: "block-2", label: "unused", value: "of no agent" },
    ],
    tools: [],
  };

  it("imports blocks and messages with their times, and reads them as Blocks and a conversation", async () => {
    const path = await fixture.write("scout.af", file);
    const report = await importFrom(fixture.memory.client, path, "letta");
    expect(report).toMatchObject({ stored: 5, unchanged: 0, failed: {} });
    const blocks = new Blocks(fixture.memory.client);
    expect(await blocks.list()).toMatchObject([
      { label: "human", value: "Name: Ada", limit: 5_000, readOnly: false, description: "The user" },
      { label: "persona", value: "I am brief.", limit: 300, readOnly: true, description: "" },
    ]);
    const conversation = await openConversation(fixture.memory.client, { id: "letta:scout" });
    const found = await conversation.messages();
    expect(found.map(({ role, content }) => [role, content])).toEqual([
      ["user", "I moved to Porto"],
      ["assistant", "How is Porto?"],
      ["assistant", "Plain words"],
    ]);
    const { entries } = await fixture.memory.client.retrieve({
      group: "letta:scout",
      namespace: "conversations",
      order: "oldest",
    });
    expect(entries[0]?.occurred_at).toBe(1_735_725_720);
  });

  it("adds only the new messages of a later file, and keeps a changed block", async () => {
    await new Blocks(fixture.memory.client).rewrite("human", "Name: Ada, in Porto");
    const later = messages.slice(3).map((each, index) => ({ ...each, id: `message-${index}` }));
    const agent = { ...file.agents[0], messages: [...later, message("user", "Windy", 7)] };
    const path = await fixture.write("later.af", { ...file, agents: [agent] });
    expect(await importFrom(fixture.memory.client, path, "letta")).toMatchObject({ stored: 1, unchanged: 4 });
    expect(await new Blocks(fixture.memory.client).list()).toMatchObject([
      { value: "Name: Ada, in Porto" },
      {},
    ]);
  });

  it("reads the first version of the format, several agents, and rejects broken parts", async () => {
    const first = { name: "old", core_memory: [{ label: "notes", value: "old" }], messages: [] };
    expect(
      await importFrom(fixture.memory.client, await fixture.write("first.af", first), "letta"),
    ).toMatchObject({
      stored: 1,
    });
    const agents = ["one", "two"].map((name) => ({ name, block_ids: ["block-1"] }));
    const many = await fixture.write("many.af", { agents, blocks: file.blocks });
    expect(await importFrom(fixture.memory.client, many, "letta")).toMatchObject({ stored: 2 });
    const own = new Blocks(fixture.memory.client, { namespace: "blocks/one" });
    expect((await own.list()).map(({ label }) => label)).toEqual(["persona"]);
    const broken = { name: "x", memory_blocks: [{ label: "" }], messages: [{ text: "no role" }] };
    expect(
      await importFrom(fixture.memory.client, await fixture.write("broken.af", broken), "letta"),
    ).toMatchObject({
      stored: 0,
      failed: { schema_violation: 2 },
    });
    expect(
      await importFrom(fixture.memory.client, await fixture.write("none.af", "{}"), "letta"),
    ).toMatchObject({
      failed: { parse_error: 1 },
    });
  });
});

describe("claude", () => {
  it("imports the memories of a data export beside its conversations", async () => {
    const memories = [
      {
        account_uuid: "a-1",
        conversations_memory: "Works on boats and likes short answers.",
        project_memories: { "p-1": "The project builds a dinghy.", "p-2": "" },
      },
    ];
    await fixture.write("claude/memories.json", memories);
    await fixture.write("claude/conversations.json", []);
    await fixture.write("claude/users.json", [{ uuid: "a-1" }]);
    const path = join(fixture.folder, "claude");
    expect(await importFrom(fixture.memory.client, path, "claude")).toMatchObject({ stored: 2, failed: {} });
    const { entries } = await fixture.memory.client.retrieve({ query: "dinghy", group: "claude:memory" });
    expect(entries[0]).toMatchObject({
      key: { claude_memory: "a-1", project: "p-1" },
      content: { text: "The project builds a dinghy." },
    });
    expect(await importFrom(fixture.memory.client, path, "claude")).toMatchObject({
      stored: 0,
      unchanged: 2,
    });
    const single = await fixture.write("single.json", memories[0]);
    expect(await importFrom(fixture.memory.client, single, "claude")).toMatchObject({
      stored: 2,
      failed: {},
    });
  });
});
