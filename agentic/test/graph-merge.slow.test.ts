import { type Clock, systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import type { TripleInput } from "../src/graph/index.js";
import { KnowledgeGraph } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

function t(text: string): TripleInput {
  const [subject, predicate, object] = text.split(" ") as [string, string, string];
  return { subject, predicate, object };
}

async function all(graph: KnowledgeGraph): Promise<string[]> {
  const found: string[] = [];
  for await (const { subject, predicate, object } of graph.triples())
    found.push(`${subject} ${predicate} ${object}`);
  return found.sort();
}

async function graphOf(...triples: readonly (string | TripleInput)[]): Promise<KnowledgeGraph> {
  const graph = new KnowledgeGraph(await openAgent());
  await graph.add(triples.map((triple) => (typeof triple === "string" ? t(triple) : triple)));
  return graph;
}

const STANDING_CLOCK: Clock = { ...systemClock, now: () => 1_800_000_000 };

describe("merge", () => {
  it("moves all triples of a node to the other", async () => {
    const graph = await graphOf(
      "NYC in USA",
      "Ada lives_in NYC",
      "NYC observation big",
      "Bob knows Ada",
      "NYC twin NYC",
    );
    expect(await graph.merge("NYC", "New_York")).toEqual({ rewritten: 4, dropped: [], left: [] });
    expect(await all(graph)).toEqual([
      "Ada lives_in New_York",
      "Bob knows Ada",
      "New_York in USA",
      "New_York observation big",
      "New_York twin New_York",
    ]);
    expect(await graph.merge("NYC", "New_York")).toEqual({ rewritten: 0, dropped: [], left: [] });
  });

  it("combines equal triples, and drops triples that would connect the node to itself", async () => {
    const graph = await graphOf(
      { ...t("a in x"), evidence: "one", trust: "web" },
      { ...t("b in x"), evidence: "two", trust: "user" },
      "a same_as b",
    );
    const { rewritten, dropped } = await graph.merge("a", "b");
    expect([rewritten, dropped]).toEqual([1, [{ ...t("a same_as b"), evidence: [], trust: "agent" }]]);
    expect((await graph.query()).triples).toEqual([
      { ...t("b in x"), evidence: ["two", "one"], trust: "user" },
    ]);
  });

  it("does not change a text that equals the name of the node", async () => {
    const graph = await graphOf("x observation a", "x entity_type a", "x is a");
    await graph.merge("a", "b");
    expect(await all(graph)).toEqual(["x entity_type a", "x is b", "x observation a"]);
  });

  it("returns triples that it could not move, which stay", async () => {
    const long = "n".repeat(3_900);
    const graph = await graphOf({ ...t("a observation x"), object: long }, "a in x");
    const { rewritten, left } = await graph.merge("a", "b".repeat(500));
    expect([rewritten, left.map(({ object }) => object)]).toEqual([1, [long]]);
    expect((await graph.query({ subject: "a" })).total).toBe(1);
  });

  it("moves more triples than one round has", async () => {
    const many = Array.from({ length: 1_200 }, (_, n) => `hub to n${n}`);
    const graph = await graphOf(...many);
    expect((await graph.merge("hub", "centre")).rewritten).toBe(1_200);
    expect((await graph.query({ subject: "centre" })).total).toBe(1_200);
    expect((await graph.query({ subject: "hub" })).total).toBe(0);
  });

  it.each([
    ["", systemClock],
    [", also where the host's clock stands still", STANDING_CLOCK],
  ])("loses no concurrent changes of the node%s", async (_, clock) => {
    for (let round = 0; round < 20; round++) {
      const triples = Array.from({ length: 10 }, (_, n) => t(`a to n${n}`));
      const graph = new KnowledgeGraph(await openAgent(clock));
      await graph.add(triples.map((triple) => ({ ...triple, evidence: "first" })));
      const second = triples.map((triple) => ({ ...triple, evidence: "second" }));
      await Promise.all([graph.merge("a", "b"), ...second.map((triple) => graph.add(triple))]);
      await graph.merge("a", "b");
      const { triples: merged } = await graph.query();
      expect(merged.map(({ subject, evidence }) => [subject, evidence.toSorted()])).toEqual(
        triples.map(() => ["b", ["first", "second"]]),
      );
    }
  });

  it("rejects a merge of a node with itself", async () => {
    await expect((await graphOf("a in x")).merge("a", " a ")).rejects.toThrow("cannot merge a with itself");
  });
});
