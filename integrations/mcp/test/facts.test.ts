import type { AgentMemory } from "@membus/agent-client";
import { LongTermMemory } from "@membus/agentic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectedClient } from "./mcp-clients.js";
import { McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
const NAMESPACE = "about/user:ada%2fx";
const ABOUT = "user:ada/x";
let client: ConnectedClient;
let memory: AgentMemory;
let longTerm: LongTermMemory;

beforeAll(async () => {
  await fixture.start();
  client = await fixture.client("stdio", "2026-07-28", ["--agent", "alice", "--namespace", NAMESPACE]);
  memory = await fixture.memory("default", "alice");
  longTerm = new LongTermMemory(memory, { subject: ABOUT });
});
afterAll(() => fixture.stop());

async function store(...contents: string[]) {
  const memories = contents.map((content) => ({ content }));
  return (await client.call("memory_store", { memories })).structured as {
    stored: { key: string; outcome: string; uri: string }[];
    errors: unknown[];
  };
}
const known = async (question: string) =>
  (await longTerm.retrieve(question, { limit: 20 })).memories.map(({ text }) => text);

describe("a text stored in the namespace of a subject", () => {
  it("is stored as a fact once, by whichever program stores it first", async () => {
    const { stored } = await store("Ada  plays the violin", "Ada plays the violin", "Ada rows");
    const outcomes = stored.map(({ outcome }) => outcome);
    expect([outcomes.slice(0, 2).toSorted(), outcomes[2]]).toEqual([["created", "unchanged"], "created"]);
    expect(stored[1]).toMatchObject({ key: stored[0]!.key, uri: stored[0]!.uri });
    expect(await known("violin")).toContain("Ada plays the violin");
    expect((await longTerm.record("Ada rows")).outcomes).toMatchObject([{ outcome: "duplicate" }]);
    await longTerm.record("Ada was born in Graz");
    expect((await store("Ada was born in Graz")).stored).toMatchObject([{ outcome: "unchanged" }]);
    const { structured } = await client.call("memory_retrieve", { query: "born" });
    expect(structured).toMatchObject({ memories: [{ content: "Ada was born in Graz" }] });
  });

  it("is stored again after it was superseded, and superseded facts are not shown", async () => {
    const { stored } = await store("Ada lives in Rome");
    const [fact] = (await longTerm.retrieve("lives in Rome")).memories;
    await longTerm.update(fact!.id, { text: "Ada lives in Oslo" });
    const shown = async () =>
      (
        (await client.call("memory_retrieve", { query: "Ada lives" })).structured!.memories as {
          content: string;
        }[]
      )
        .map(({ content }) => content)
        .filter((content) => content.startsWith("Ada lives"));
    expect(await shown()).toEqual(["Ada lives in Oslo"]);
    expect(await client.prompt("recall", { topic: "Ada lives" })).not.toContain("Rome");
    const again = await store("Ada lives in Rome");
    expect(again.stored).toMatchObject([{ outcome: "created" }]);
    expect(again.stored[0]!.key).not.toBe(stored[0]!.key);
    expect((await shown()).toSorted()).toEqual(["Ada lives in Oslo", "Ada lives in Rome"]);
    expect((await store("Ada lives in Rome")).stored).toMatchObject([
      { outcome: "unchanged", key: again.stored[0]!.key },
    ]);
  });

  it("can be recalled and forgotten by its key", async () => {
    const { stored } = await store("Ada swims");
    const { key } = stored[0]!;
    expect((await client.call("memory_recall", { key })).structured).toMatchObject({ found: true });
    await expect(client.call("memory_remember", { key, value: 1 })).resolves.toMatchObject({ isError: true });
    expect((await client.call("memory_forget", { keys: [key] })).structured).toMatchObject({ forgotten: 1 });
    expect(await known("swims")).not.toContain("Ada swims");
  });

  it("is not a fact if it has a key, or in a shared tier", async () => {
    await client.call("memory_store", { memories: [{ content: "Ada fears thunder", key: "thunder" }] });
    await client.call("memory_store", { memories: [{ content: "Ada fears snakes" }], tier: "semantic" });
    expect(await known("fears")).toEqual([]);
    const { structured } = await client.call("memory_recall", { key: "thunder" });
    expect(structured).toEqual({ found: true, value: "Ada fears thunder" });
  });
});
