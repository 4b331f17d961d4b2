import { keyHash } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const SUBSCRIBED = [
  { transport: "stdio", revision: "2026-07-28" },
  { transport: "http", revision: "2026-07-28" },
  { transport: "stdio", revision: "2025-11-25" },
  { transport: "stdio", revision: "former" },
] as const;

it.each(SUBSCRIBED)(
  "notifies $revision over $transport of the changes of other programs, and only of subscribed resources",
  async ({ transport, revision }) => {
    const namespace = `notices/${transport}-${revision}`;
    const client = await fixture.client(transport, revision, ["--namespace", namespace]);
    // The server is connected, and so watches, once it has answered.
    await client.call("memory_recall", { key: "colour" });
    const [shape, colour] = ["shape", "colour"].map((key) => `membus://episodic/${keyHash(key)}`);
    const notices = await client.subscribe(shape!, colour!);
    const memory = await fixture.memory(namespace);
    await memory.remember("other", 1, { tier: "episodic" });
    await memory.remember("shape", 1, { tier: "working" });
    await memory.inNamespace(`${namespace}/below`).remember("shape", 1, { tier: "episodic" });
    await memory.remember("colour", "green", { tier: "episodic" });
    expect(await notices.next()).toBe(colour);
    await memory.forget({ keys: ["colour"] });
    expect(await notices.next()).toBe(colour);
  },
);

it.each(SUBSCRIBED)(
  "notifies $revision over $transport of changes of the graph",
  async ({ transport, revision }) => {
    const flags = ["--graph", "--namespace", `graph/${transport}-${revision}`];
    const client = await fixture.client(transport, revision, flags);
    await client.call("read_graph");
    const notices = await client.subscribe("memory://knowledge-graph");
    const writer = await fixture.client("stdio", "former", flags);
    await writer.call("create_relations", { relations: [{ from: "a", to: "b", relationType: "r" }] });
    expect(await notices.next()).toBe("memory://knowledge-graph");
    await writer.call("create_entities", { entities: [{ name: "a", entityType: "t", observations: [] }] });
    expect(await notices.next()).toBe("memory://knowledge-graph");
  },
);

it("rejects a subscription over HTTP before 2026, where no notification could be sent", async () => {
  const client = await fixture.client("http", "former");
  await expect(client.subscribe("membus://episodic/x")).rejects.toThrow();
});
