import { describe, expect, it } from "vitest";
import { type GraphOptions, KnowledgeGraph } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

/** Returns a triple for "a>b". */
async function graphOf(arrows: string, options: GraphOptions = {}): Promise<KnowledgeGraph> {
  const graph = new KnowledgeGraph(await openAgent(), options);
  const triples = arrows.split(" ").map((arrow) => {
    const [subject, object] = arrow.split(">") as [string, string];
    return { subject, predicate: "to", object };
  });
  await graph.add(triples);
  return graph;
}

async function ways(graph: KnowledgeGraph, ...args: Parameters<typeof graph.paths>): Promise<string[]> {
  const { paths, truncated } = await graph.paths(...args);
  const texts = paths.map(({ nodes }) => nodes.join("-"));
  return truncated ? [...texts, "..."] : texts;
}

describe("paths", () => {
  it("are all shortest paths, along triples in either direction", async () => {
    const graph = await graphOf("a>b b>d c>a c>d d>e a>x x>y y>z z>e");
    expect(await ways(graph, "a", "e")).toEqual(["a-b-d-e", "a-c-d-e"]);
    expect(await ways(graph, "e", "a")).toEqual(["e-d-b-a", "e-d-c-a"]);
    const [path] = (await graph.paths("a", "d")).paths;
    expect(path!.triples.map(({ subject, object }) => `${subject}>${object}`)).toEqual(["a>b", "b>d"]);
  });

  it("are distinct for two triples between the same nodes", async () => {
    const graph = await graphOf("a>b b>a");
    expect(await ways(graph, "a", "b")).toEqual(["a-b", "a-b"]);
  });

  it("end at `depthMax`", async () => {
    const graph = await graphOf("a>b b>c c>d");
    expect(await ways(graph, "a", "d", { depthMax: 3 })).toEqual(["a-b-c-d"]);
    expect(await ways(graph, "a", "d", { depthMax: 2 })).toEqual([]);
  });

  it("have no steps from a node to itself, and do not exist to an unknown node", async () => {
    const graph = await graphOf("a>b");
    expect(await ways(graph, "a", "a")).toEqual(["a"]);
    expect(await ways(graph, "a", "nobody")).toEqual([]);
    expect(await ways(graph, "nobody", "a")).toEqual([]);
  });

  it("do not follow types and observations, unless these predicates are given", async () => {
    const graph = await graphOf("a>b");
    const observed = ["a", "z"].map((subject) => ({ subject, predicate: "observation", object: "tall" }));
    await graph.add(observed);
    expect(await ways(graph, "a", "z")).toEqual([]);
    expect(await ways(graph, "a", "z", { predicates: ["observation"] })).toEqual(["a-tall-z"]);
  });

  it("report that a limit was reached", async () => {
    const star = Array.from({ length: 20 }, (_, n) => `a>m${n} m${n}>z`).join(" ");
    expect(await ways(await graphOf(star), "a", "z", { pathCountMax: 2 })).toEqual([
      "a-m0-z",
      "a-m1-z",
      "...",
    ]);
    expect(await ways(await graphOf(star, { tripleCountMax: 5 }), "a", "z")).toEqual(["..."]);
    expect(await ways(await graphOf(star, { nodeCountMax: 5 }), "a", "z")).toEqual(["..."]);
  });

  it.each([
    [{ depthMax: 0 }, "depthMax must be an integer of 1..10, got 0"],
    [{ pathCountMax: 101 }, "pathCountMax must be an integer of 1..100, got 101"],
  ])("refuse %j", async (options, message) => {
    await expect((await graphOf("a>b")).paths("a", "b", options)).rejects.toThrow(new TypeError(message));
  });
});
