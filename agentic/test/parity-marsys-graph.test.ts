import { MemoryClient } from "@membus/agent-client";
import { describe, expect, it } from "vitest";
import { KnowledgeGraph } from "../src/index.js";
import { loadPrompt } from "../src/model/index.js";
import { openAgent, startHost } from "./agent-fixture.js";
import { startModel } from "./model-fixture.js";

const WORKS = { subject: "Ada", predicate: "works_at", object: "Acme" };
const ANSWER = { json: { triples: [{ ...WORKS, evidence: "Ada works at Acme." }] } };

describe("KGMemory(model, description)", () => {
  it("model: only the call that needs it takes a model", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    expect((await graph.add(WORKS))[0]!.outcome).toBe("created");
    const { model, server } = await startModel([ANSWER]);
    await graph.extract("Ada works at Acme.", { model });
    expect(server.requests).toHaveLength(1);
  });

  it("description: the instruction is a prompt file with a placeholder for known names", () => {
    expect(loadPrompt("extract-triples", { limit: "7", nodes: "- Ada" })).toContain("at most 7 statements");
  });
});

describe("add_fact(role, subject, predicate, obj)", () => {
  it("role: stored as trust", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    for (const trust of ["user", "agent", "tool", "web"] as const) {
      await graph.add({ subject: trust, predicate: "says", object: "so", trust });
    }
    const { triples } = await graph.query();
    expect(triples.map(({ subject, trust }) => [subject, trust])).toEqual([
      ["user", "user"],
      ["agent", "agent"],
      ["tool", "tool"],
      ["web", "web"],
    ]);
  });

  it("subject, predicate, obj: a triple is found by them", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    await graph.add(WORKS);
    for (const pattern of [{ subject: "Ada" }, { predicate: "works_at" }, { object: "Acme" }]) {
      expect((await graph.query(pattern)).triples).toMatchObject([WORKS]);
    }
  });
});

describe("extract_and_update_from_text(input_text, role)", () => {
  it("input_text: facts are stored when the call returns (never in MARSYS)", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    const { model } = await startModel([ANSWER]);
    await graph.extract("Ada works at Acme.", { model });
    expect((await graph.query()).triples).toMatchObject([WORKS]);
  });

  it("role: stored as the trust of the text", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    const { model } = await startModel([ANSWER]);
    await graph.extract("Ada works at Acme.", { model, trust: "tool" });
    expect((await graph.query()).triples[0]!.trust).toBe("tool");
  });
});

describe("BaseMemory methods of KGMemory", () => {
  it("retrieve_all, get_messages: all triples. retrieve_recent(n): a page", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    await graph.add(["Acme", "Bell"].map((object) => ({ ...WORKS, object })));
    const all: string[] = [];
    for await (const { object } of graph.triples()) all.push(object);
    expect(all).toEqual(["Acme", "Bell"]);
    expect((await graph.query({}, { limit: 1 })).triples.map(({ object }) => object)).toEqual(["Acme"]);
  });

  it("remove_by_id, delete_memory: by the triple, which is its own id", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    await graph.add(WORKS);
    expect((await graph.remove(WORKS)).deleted).toEqual([WORKS]);
    expect((await graph.remove(WORKS)).notFound).toEqual([WORKS]);
  });

  it("update, replace_memory: a repeated triple has the evidence of both", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    await graph.add({ ...WORKS, evidence: "one" });
    expect((await graph.add({ ...WORKS, evidence: "two" }))[0]).toMatchObject({
      outcome: "updated",
      triple: { evidence: ["one", "two"] },
    });
  });

  it("reset_memory: clear", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    await graph.add(WORKS);
    expect(await graph.clear()).toBe(1);
    expect((await graph.query()).total).toBe(0);
  });
});

describe("bugs of KGMemory that do not occur here", () => {
  it("a failed extraction is reported", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    const { model } = await startModel(() => ({ text: "no JSON" }));
    await expect(graph.extract("Ada works at Acme.", { model })).rejects.toThrow(
      "the model gave no valid statements",
    );
  });

  it("a fact that is added twice is stored once", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    await graph.add([WORKS, WORKS]);
    await graph.add(WORKS);
    expect((await graph.query()).total).toBe(1);
  });

  it("facts outlive the object and the client that added them", async () => {
    const bus = await startHost();
    const first = await MemoryClient.connect({ bus, agent: "alice" });
    await new KnowledgeGraph(first).add(WORKS);
    await first.close();
    const second = await MemoryClient.connect({ bus, agent: "alice" });
    expect((await new KnowledgeGraph(second).query()).triples).toMatchObject([WORKS]);
    expect((await new KnowledgeGraph(second.forAgent("bob")).query()).triples).toEqual([]);
    await second.close();
  });

  it("facts are found by their content", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    await graph.add([WORKS, { subject: "Bob", predicate: "likes", object: "tea" }]);
    expect((await graph.search("who works at Acme")).triples[0]).toMatchObject(WORKS);
  });
});
