import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import type { TripleKey } from "../src/graph/index.js";
import { KnowledgeGraph } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

const t = (subject: string, predicate: string, object: string): TripleKey => ({ subject, predicate, object });

function short({ subject, predicate, object }: TripleKey): string {
  return `${subject} ${predicate} ${object}`;
}

async function all(graph: KnowledgeGraph): Promise<string[]> {
  const found: string[] = [];
  for await (const triple of graph.triples()) found.push(short(triple));
  return found;
}

async function graphOf(...triples: readonly TripleKey[]): Promise<KnowledgeGraph> {
  const graph = new KnowledgeGraph(await openAgent());
  await graph.add(triples);
  return graph;
}

describe("adding", () => {
  it("stores triples with evidence and trust, in order of arrival", async () => {
    const memory = await openAgent();
    const graph = new KnowledgeGraph(memory);
    const added = await graph.add([
      { ...t("Ada", "wrote", "Note G"), evidence: "Ada wrote  Note G\nin 1843.", trust: "user" },
      t("Ada", "knows", "Charles"),
    ]);
    expect(added.map(({ outcome }) => outcome)).toEqual(["created", "created"]);
    const { triples, total } = await graph.query();
    expect(total).toBe(2);
    expect(triples).toEqual([
      { ...t("Ada", "wrote", "Note G"), evidence: ["Ada wrote Note G in 1843."], trust: "user" },
      { ...t("Ada", "knows", "Charles"), evidence: [], trust: "agent" },
    ]);
    const { entries } = await memory.retrieve({
      namespace: "graph",
      tier: "episodic",
      group: "Ada",
      order: "oldest",
    });
    expect(entries[0]).toMatchObject({
      key: t("Ada", "wrote", "Note G"),
      content: { evidence: "Ada wrote Note G in 1843." },
      metadata: { kind: "triple", ...t("Ada", "wrote", "Note G"), trust: "user" },
    });
  });

  it("treats equal triples as duplicates, also within one call and in other spelling", async () => {
    const graph = await graphOf(t("New York", "in", "USA"));
    const added = await graph.add([
      t("  New \n York ", "IN", "USA"),
      t("Cafe\u0301", "located in", "New York"),
      t("Caf\u00e9", "Located  In", "New York"),
    ]);
    expect(added.map(({ outcome }) => outcome)).toEqual(["duplicate", "created", "duplicate"]);
    expect(await all(graph)).toEqual(["New York in USA", "Caf\u00e9 located_in New York"]);
  });

  it("keeps the case of nodes, unless the option nodeCase is lower", async () => {
    const memory = await openAgent();
    const keeping = new KnowledgeGraph(memory);
    await keeping.add([t("US", "is", "country"), t("us", "is", "pronoun")]);
    expect(await all(keeping)).toHaveLength(2);
    const lower = new KnowledgeGraph(memory, { namespace: "graph/lower", nodeCase: "lower" });
    await lower.add([
      t("Berlin", "in", "Germany"),
      t("berlin", "in", "germany"),
      t("Berlin", "observation", "Big City"),
    ]);
    expect(await all(lower)).toEqual(["berlin in germany", "berlin observation Big City"]);
    expect((await lower.query({ subject: "BERLIN", object: "Big City" })).total).toBe(1);
  });

  it("accumulates evidence up to a limit, and only raises trust", async () => {
    const graph = await graphOf();
    const say = (evidence: string, trust: "user" | "web") =>
      graph.add({ ...t("a", "p", "b"), evidence, trust });
    expect((await say("one", "web"))[0]!.outcome).toBe("created");
    expect((await say("two", "user"))[0]!.outcome).toBe("updated");
    expect((await say("one", "web"))[0]!.outcome).toBe("duplicate");
    expect((await graph.add(t("a", "p", "b")))[0]!.outcome).toBe("duplicate");
    expect((await graph.query()).triples).toEqual([
      { ...t("a", "p", "b"), evidence: ["one", "two"], trust: "user" },
    ]);
    const passages = Array.from({ length: 20 }, (_, n) => `passage ${n}`);
    await graph.add({ ...t("a", "p", "b"), evidence: passages });
    const { evidence } = (await graph.query()).triples[0]!;
    expect(evidence).toHaveLength(8);
    expect(evidence.slice(0, 3)).toEqual(["one", "two", "passage 0"]);
    expect((await say("more", "web"))[0]!.outcome).toBe("duplicate");
  });

  it("accepts more triples than fit into a request", async () => {
    const graph = await graphOf();
    const many = Array.from({ length: 2_300 }, (_, n) => t("hub", "has", `spoke ${n}`));
    const added = await graph.add(many);
    expect(new Set(added.map(({ outcome }) => outcome))).toEqual(new Set(["created"]));
    expect((await graph.query()).total).toBe(2_300);
    expect(await all(graph)).toHaveLength(2_300);
  });

  it.each([
    [t("", "p", "b"), "subject must be a non-empty text"],
    [t("a", " ", "b"), "predicate must be a non-empty text"],
    [{ subject: "a", predicate: "p" } as TripleKey, "object must be a non-empty text"],
    [
      { ...t("a", "p", "b"), trust: "me" as never } as TripleKey,
      "trust must be one of user, agent, tool, web, got me",
    ],
    [
      { ...t("a", "p", "b"), evidence: "x".repeat(2_001) },
      "evidence must have at most 2000 characters, got 2001",
    ],
  ])("rejects %j, and stores nothing", async (triple, message) => {
    const graph = await graphOf();
    await expect(graph.add([t("a", "b", "c"), triple])).rejects.toThrow(new TypeError(message));
    expect(await all(graph)).toEqual([]);
  });

  it("rejects parts that are too long for a key, and stores nothing", async () => {
    const graph = await graphOf();
    const error = await rejection(graph.add([t("a", "b", "c"), t("a", "p", "é".repeat(2_048))]), "too_large");
    expect(error.detail).toMatchObject({ limit: "keyBytes", max: 4_096 });
    expect(await all(graph)).toEqual([]);
  });
});

describe("removing", () => {
  it("returns which triples existed and which did not", async () => {
    const graph = await graphOf(t("a", "p", "b"), t("a", "p", "c"));
    const removed = await graph.remove([t(" a", "P", "b"), t("a", "p", "x"), t("a", "p", "b")]);
    expect(removed).toEqual({ deleted: [t("a", "p", "b")], notFound: [t("a", "p", "x")] });
    expect(await all(graph)).toEqual(["a p c"]);
  });

  it("removes matching triples, and all of them only with clear()", async () => {
    const memory = await openAgent();
    const graph = new KnowledgeGraph(memory);
    await graph.add([t("a", "p", "b"), t("a", "q", "b"), t("c", "p", "a")]);
    await memory.inNamespace("graph").store({ key: "note", content: "not a triple", tier: "episodic" });
    await expect(graph.removeMatching({})).rejects.toThrow("the pattern matches every triple. Use clear()");
    await expect(graph.removeMatching({ subjekt: "a" } as never)).rejects.toThrow("not `subjekt`");
    expect(await graph.removeMatching({ subject: "a", predicate: ["q", "r"] })).toBe(1);
    expect(await graph.clear()).toBe(2);
    expect(await memory.inNamespace("graph").recall("note")).toBe("not a triple");
  });

  it("is deleted by one of two concurrent calls", async () => {
    const graph = await graphOf(...Array.from({ length: 40 }, (_, n) => t("a", "p", `${n}`)));
    const keys = Array.from({ length: 40 }, (_, n) => t("a", "p", `${n}`));
    const both = await Promise.all([graph.remove(keys), graph.remove(keys)]);
    expect(both[0].deleted.length + both[1].deleted.length).toBe(40);
    expect(both[0].notFound.length + both[1].notFound.length).toBe(40);
  });
});

describe("asking", () => {
  it("finds triples by any part, and by lists", async () => {
    const graph = await graphOf(t("a", "p", "b"), t("a", "q", "c"), t("b", "p", "c"));
    const found = async (...[pattern]: Parameters<typeof graph.query>) =>
      (await graph.query(pattern)).triples.map(short);
    expect(await found({ subject: "a" })).toEqual(["a p b", "a q c"]);
    expect(await found({ predicate: "P" })).toEqual(["a p b", "b p c"]);
    expect(await found({ object: "c" })).toEqual(["a q c", "b p c"]);
    expect(await found({ subject: ["a", "b"], predicate: "p" })).toEqual(["a p b", "b p c"]);
    expect(await found({ subject: "nobody" })).toEqual([]);
    await expect(found({ subject: [] })).rejects.toThrow("subject must not be an empty list");
  });

  it("returns page after page", async () => {
    const graph = await graphOf(t("a", "p", "1"), t("a", "p", "2"), t("a", "p", "3"));
    const first = await graph.query({}, { limit: 2 });
    expect(first.triples.map(short)).toEqual(["a p 1", "a p 2"]);
    const second = await graph.query({}, { limit: 2, cursor: first.cursor });
    expect(second.triples.map(short)).toEqual(["a p 3"]);
    expect(second.cursor).toBe(undefined);
    await expect(graph.query({}, { limit: 1_001 })).rejects.toThrow("limit must be an integer of 1..1000");
  });

  it("returns the neighbours of a node in either direction", async () => {
    const graph = await graphOf(
      t("a", "p", "b"),
      t("c", "q", "a"),
      t("a", "self", "a"),
      t("a", "observation", "tall"),
      t("b", "p", "c"),
    );
    const nodes = async (options: Parameters<typeof graph.neighbours>[1]) => {
      const { neighbours, truncated } = await graph.neighbours("a", options);
      return [
        ...neighbours.map(({ node, direction }) => `${direction} ${node}`),
        ...(truncated ? ["..."] : []),
      ];
    };
    expect(await nodes({})).toEqual(["out b", "in c", "out a"]);
    expect(await nodes({ direction: "out" })).toEqual(["out b", "out a"]);
    expect(await nodes({ direction: "in" })).toEqual(["in c", "in a"]);
    expect(await nodes({ predicates: ["observation", "Q"] })).toEqual(["in c", "out tall"]);
    expect(await nodes({ limit: 2 })).toEqual(["out b", "in c", "..."]);
  });

  it("finds the part of the graph that matches a text", async () => {
    const graph = await graphOf();
    await graph.add([
      { ...t("Ada", "works_at", "observatory"), evidence: "She watches comets every night." },
      t("Bob", "likes", "tea"),
      t("Ada", "observation", "plays the violin"),
    ]);
    const comets = await graph.search("comets");
    expect(comets.nodes).toEqual(["Ada", "observatory"]);
    expect(comets.triples[0]!.score).toBeGreaterThan(0);
    expect((await graph.search("violin")).nodes).toEqual(["Ada"]);
    expect((await graph.search("works at")).triples.map(short)[0]).toBe("Ada works_at observatory");
    expect((await graph.search("quantum")).triples).toEqual([]);
  });
});
