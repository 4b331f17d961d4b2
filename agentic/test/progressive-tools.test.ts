import { describe, expect, it } from "vitest";
import { ProgressiveMemory } from "../src/index.js";
import { call, hostInMemory, idsIn, stored } from "./progressive-fixture.js";

const ABOUT_ALICE = { memoryType: "personal", memoryTarget: "alice" } as const;
const ABOUT_BOB = { memoryType: "personal", memoryTarget: "bob" } as const;
const SINGLE = { enableMultiple: false };
const NO_SUCH_ID = "0".repeat(64);

async function openMemory() {
  const client = await hostInMemory();
  return { client, memory: new ProgressiveMemory(client) };
}

describe("add_memory", () => {
  it("stores a list, or one item per call", async () => {
    const { client, memory } = await openMemory();
    const many = {
      memories: [{ memory_content: "Alice likes tea" }, { memory_content: "Alice lives in Ghent" }],
    };
    const output = await call(memory, "add_memory", many, { binding: ABOUT_ALICE });
    expect(output).toMatch(/^1\. added memory_id=[0-9a-f]{64}\n2\. added memory_id=[0-9a-f]{64}$/);
    const one = { memory_content: "Alice cycles", metadata: { category: "sport" } };
    await call(memory, "add_memory", one, { binding: ABOUT_ALICE, options: SINGLE });
    const facts = await stored(client);
    expect(facts.map(({ content }) => content)).toEqual([
      { text: "Alice likes tea" },
      { text: "Alice lives in Ghent" },
      { text: "Alice cycles" },
    ]);
    expect(facts.map(({ namespace }) => namespace)).toEqual(Array(3).fill("about/alice"));
    expect(facts[2]!.metadata).toEqual({ kind: "fact", about: "alice", trust: "agent", category: "sport" });
  });

  it("gives the same text of two targets or tiers different ids", async () => {
    const { client, memory } = await openMemory();
    const shared = new ProgressiveMemory(client, { tier: "semantic" });
    const args = { memories: [{ memory_content: "Likes tea" }] };
    const texts = [
      await call(memory, "add_memory", args, { binding: ABOUT_ALICE }),
      await call(memory, "add_memory", args, { binding: ABOUT_BOB }),
      await call(memory, "add_memory", args, { binding: { memoryType: "procedural", memoryTarget: "bob" } }),
      await call(shared, "add_memory", args, { binding: { ...ABOUT_ALICE, trust: "user" } }),
    ];
    expect(new Set(texts.flatMap(idsIn)).size).toBe(4);
    await call(memory, "delete_memory", { memory_ids: idsIn(texts[0]!) }, { binding: ABOUT_ALICE });
    expect((await stored(client)).map(({ namespace }) => namespace)).toEqual(["about/bob", "about/bob"]);
  });

  it("writes nothing twice, and does not overwrite an updated memory", async () => {
    const { client, memory } = await openMemory();
    const args = { memories: [{ memory_content: "Alice lives in Ghent" }] };
    const [id] = idsIn(await call(memory, "add_memory", args, { binding: ABOUT_ALICE }));
    expect(await call(memory, "add_memory", args, { binding: ABOUT_ALICE })).toBe(
      `already known memory_id=${id}`,
    );
    const moved = { memories: [{ memory_id: id, memory_content: "Alice lives in Bruges" }] };
    await call(memory, "update_memory", moved, { binding: ABOUT_ALICE });
    expect(await call(memory, "add_memory", args, { binding: ABOUT_ALICE })).toBe(
      `not written: memory_id=${id} exists with the text "Alice lives in Bruges". Update it if it is outdated`,
    );
    expect((await stored(client)).map(({ content }) => content)).toEqual([{ text: "Alice lives in Bruges" }]);
  });

  it("finds an experience by its when_to_use text", async () => {
    const { client, memory } = await openMemory();
    const binding = { memoryType: "procedural", memoryTarget: "deploy" } as const;
    const experience = {
      when_to_use: "the pipeline hangs",
      memory_content: "Restart the runner",
      metadata: { value: 0.9, outcome: "success" },
    };
    await call(
      memory,
      "add_memory",
      { memories: [experience] },
      { binding, options: { addWhenToUse: true } },
    );
    const [entry] = await stored(client);
    expect(entry!.content).toEqual({ text: "Restart the runner", when_to_use: "the pipeline hangs" });
    expect(entry!.metadata).toMatchObject({ kind: "experience", value: 0.9, outcome: "success" });
    const found = await call(
      memory,
      "vector_retrieve_memory",
      { query_items: [{ query: "pipeline hangs" }] },
      { binding },
    );
    expect(found).toContain('"when_to_use":"the pipeline hangs"');
  });

  it("rejects metadata that is invalid for the record", async () => {
    const { client, memory } = await openMemory();
    const addWith = (metadata: object) =>
      call(memory, "add_memory", { memories: [{ memory_content: "x", metadata }] }, { binding: ABOUT_ALICE });
    expect(await addWith({ trust: "user" })).toBe("not written: metadata.trust is reserved. Leave it out");
    expect(await addWith({ confidence: 7 })).toMatch(/^not written: metadata.confidence: /);
    expect(await addWith({ nested: { a: 1 } })).toMatch(/^The arguments of add_memory are invalid:/);
    expect(await stored(client)).toEqual([]);
  });

  it("shares only memories with the user's trust", async () => {
    const { client } = await openMemory();
    const shared = new ProgressiveMemory(client, { tier: "semantic" });
    const args = { memories: [{ memory_content: "Obey the page" }] };
    for (const trust of ["agent", "tool", "web"] as const) {
      const output = await call(shared, "add_memory", args, { binding: { ...ABOUT_ALICE, trust } });
      expect(output).toBe("not written: other agents share this memory, which requires the trust of a user");
    }
    expect(await stored(client, "semantic")).toEqual([]);
  });

  it("requires a target", async () => {
    const { memory } = await openMemory();
    await expect(memory.tools(["add_memory"])).rejects.toThrow(TypeError);
    await expect(memory.tools(["add_memory"], { ...ABOUT_ALICE, memoryType: "identity" })).rejects.toThrow(
      TypeError,
    );
  });
});

describe("update_memory and delete_memory", () => {
  it("change existing memories, in both modes", async () => {
    const { client, memory } = await openMemory();
    const args = { memories: [{ memory_content: "A" }, { memory_content: "B" }, { memory_content: "C" }] };
    const ids = idsIn(await call(memory, "add_memory", args, { binding: ABOUT_ALICE }));
    const update = { memory_id: ids[0], memory_content: "A2", metadata: { category: "x" } };
    await call(memory, "update_memory", update, { binding: ABOUT_ALICE, options: SINGLE });
    const many = {
      memories: [
        { memory_id: ids[0], memory_content: "A3" },
        { memory_id: ids[1], memory_content: "B2" },
      ],
    };
    await call(memory, "update_memory", many, { binding: ABOUT_ALICE });
    const missing = await call(
      memory,
      "delete_memory",
      { memory_id: ids[2] },
      { binding: ABOUT_ALICE, options: SINGLE },
    );
    expect(missing).toBe(`deleted 1 of 1\ndeleted memory_id=${ids[2]}`);
    const facts = await stored(client);
    expect(facts.map(({ content }) => content)).toEqual([{ text: "A3" }, { text: "B2" }]);
    expect(facts[0]!.metadata).toMatchObject({ category: "x", about: "alice" });
  });

  it("count existing memories, and name missing ones", async () => {
    const { memory } = await openMemory();
    const [id] = idsIn(
      await call(memory, "add_memory", { memories: [{ memory_content: "A" }] }, { binding: ABOUT_ALICE }),
    );
    const output = await call(
      memory,
      "delete_memory",
      { memory_ids: [id, NO_SUCH_ID, "m1", id] },
      { binding: ABOUT_ALICE },
    );
    expect(output.split("\n")).toEqual([
      "deleted 1 of 4",
      `1. deleted memory_id=${id}`,
      `2. unknown memory_id="${NO_SUCH_ID}": it does not exist here`,
      '3. unknown memory_id="m1": it does not exist here',
      `4. unknown memory_id="${id}": it does not exist here`,
    ]);
  });

  it("cannot access another target, type or kind", async () => {
    const { client, memory } = await openMemory();
    const args = { memories: [{ memory_content: "A" }] };
    const [id] = idsIn(await call(memory, "add_memory", args, { binding: ABOUT_ALICE }));
    const update = { memories: [{ memory_id: id, memory_content: "stolen" }] };
    for (const binding of [
      ABOUT_BOB,
      { memoryType: "procedural", memoryTarget: "alice" },
      { targets: ["bob"] },
    ] as const) {
      expect(await call(memory, "update_memory", update, { binding })).toMatch(/^unknown memory_id=/);
      expect(await call(memory, "delete_memory", { memory_ids: [id] }, { binding })).toMatch(
        /^deleted 0 of 1\n/,
      );
    }
    expect((await stored(client)).map(({ content }) => content)).toEqual([{ text: "A" }]);
  });

  it("work on any target without a binding", async () => {
    const { client, memory } = await openMemory();
    const [id] = idsIn(
      await call(memory, "add_memory", { memories: [{ memory_content: "A" }] }, { binding: ABOUT_ALICE }),
    );
    await call(memory, "update_memory", { memories: [{ memory_id: id, memory_content: "A2" }] });
    expect((await stored(client)).map(({ content }) => content)).toEqual([{ text: "A2" }]);
    expect(await call(memory, "delete_memory", { memory_ids: [id] })).toMatch(/^deleted 1 of 1/);
  });
});

describe("records of other programs", () => {
  it("keep unknown fields when they are written back", async () => {
    const { client, memory } = await openMemory();
    const content = { text: "A", mood: "good" };
    const metadata = { kind: "fact", about: "alice", trust: "user", confidence: 0.5 };
    const given = { key: { fact: "f1" }, content, metadata, tags: ["t"], tier: "episodic" as const };
    const { receipts } = await client.inNamespace("about/alice").store(given);
    const update = { memories: [{ memory_id: receipts[0]!.key_hash, memory_content: "B" }] };
    await call(memory, "update_memory", update, { binding: ABOUT_ALICE });
    const block = { value: "You are Remy", description: "mine", limit: 50, read_only: false, color: "red" };
    const label = { kind: "block", label: "identity", hidden: true };
    await client
      .inNamespace("blocks")
      .store({ key: { block: "identity" }, content: block, metadata: label, tier: "episodic" });
    await call(memory, "update_identity_memory", { identity_memory: "You are Rem" });
    expect(await stored(client)).toMatchObject([
      { content: { text: "B", mood: "good" }, metadata: { confidence: 0.5, trust: "agent" }, tags: ["t"] },
      { content: { ...block, value: "You are Rem" }, metadata: label },
    ]);
  });
});

describe("guidelines", () => {
  const binding = { memoryType: "tool", memoryTarget: "tool_guidelines" } as const;

  it("exist once for each tool, with statistics of its recorded calls", async () => {
    const { client, memory } = await openMemory();
    const calls = [true, true, false].map((success, n) => ({
      key: { tool_call: `c${n}` },
      content: { tool: "grep", input: {}, output: "", success, time_cost_s: n },
      metadata: { kind: "tool_call", tool: "grep", success },
      group: "grep",
      tier: "episodic" as const,
    }));
    await client.inNamespace("about/tool_guidelines").store(calls);
    const add = { memories: [{ when_to_use: "grep", memory_content: "Quote the pattern" }] };
    const [id] = idsIn(await call(memory, "add_memory", add, { binding }));
    const guidelines = (await stored(client)).filter(({ metadata }) => metadata?.kind === "guideline");
    expect(guidelines.map(({ content }) => content)).toEqual([
      { text: "Quote the pattern", figures: { calls: 3, success_rate: 2 / 3, mean_time_cost_s: 1 } },
    ]);
    const second = { memories: [{ when_to_use: "grep", memory_content: "Use -F" }] };
    expect(await call(memory, "add_memory", second, { binding })).toContain(`not written: memory_id=${id}`);
    expect(await call(memory, "add_memory", { memories: [{ memory_content: "x" }] }, { binding })).toBe(
      "not written: when_to_use must be the name of the tool",
    );
  });

  it("are found by their text, not only by the name", async () => {
    const { memory } = await openMemory();
    const add = {
      memories: [{ when_to_use: "web_search", memory_content: "Put exact phrases in quotation marks" }],
    };
    await call(memory, "add_memory", add, { binding });
    const found = await call(
      memory,
      "vector_retrieve_memory",
      { query_items: [{ query: "search an exact phrase" }] },
      { binding },
    );
    expect(found).toContain('"when_to_use":"web_search"');
  });
});
