import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KnowledgeGraph } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

/** A graph as a set of "subject predicate object", with the same operations. */
class PlainGraph {
  triples = new Set<string>();

  add(triple: string): string {
    const outcome = this.triples.has(triple) ? "duplicate" : "created";
    this.triples.add(triple);
    return outcome;
  }

  remove(triple: string): boolean {
    return this.triples.delete(triple);
  }

  merge(from: string, into: string): void {
    for (const triple of [...this.triples]) {
      const [subject, predicate, object] = triple.split(" ") as [string, string, string];
      if (subject !== from && object !== from) continue;
      this.triples.delete(triple);
      const [s, o] = [subject === from ? into : subject, object === from ? into : object];
      if (s !== o || subject === object) this.triples.add(`${s} ${predicate} ${o}`);
    }
  }

  /** Returns the length of the shortest path. undefined if there is none. */
  distance(from: string, to: string): number | undefined {
    const depths = new Map([[from, 0]]);
    for (const node of depths.keys()) {
      for (const triple of this.triples) {
        const [subject, , object] = triple.split(" ") as [string, string, string];
        const next = subject === node ? object : object === node ? subject : node;
        if (!depths.has(next)) depths.set(next, depths.get(node)! + 1);
      }
    }
    return depths.get(to);
  }
}

const node = fc.constantFrom("a", "b", "c", "d", "e", "f");
const triple = fc.tuple(node, fc.constantFrom("p", "q"), node).map((parts) => parts.join(" "));
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("add" as const), triple }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), triple }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("merge" as const), from: node, into: node }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("path" as const), from: node, into: node }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function inputOf(text: string) {
  const [subject, predicate, object] = text.split(" ") as [string, string, string];
  return { subject, predicate, object };
}

async function take(graph: KnowledgeGraph, model: PlainGraph, taken: Step): Promise<void> {
  switch (taken.do) {
    case "add":
      expect((await graph.add(inputOf(taken.triple)))[0]!.outcome).toBe(model.add(taken.triple));
      break;
    case "remove":
      expect((await graph.remove(inputOf(taken.triple))).deleted).toHaveLength(
        model.remove(taken.triple) ? 1 : 0,
      );
      break;
    case "merge":
      if (taken.from === taken.into) break;
      expect((await graph.merge(taken.from, taken.into)).left).toEqual([]);
      model.merge(taken.from, taken.into);
      break;
    case "path": {
      const { paths } = await graph.paths(taken.from, taken.into, { depthMax: 10 });
      expect(paths[0]?.triples.length).toBe(model.distance(taken.from, taken.into));
    }
  }
}

describe("the graph compared with a set of triples", () => {
  it("has the same results after each step and each run", async () => {
    const memory = await openAgent();
    let run = 0;
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const graph = new KnowledgeGraph(memory, { namespace: `graph/run${run++}` });
      const model = new PlainGraph();
      for (const taken of steps) await take(graph, model, taken);
      const found: string[] = [];
      for await (const { subject, predicate, object } of graph.triples()) {
        found.push(`${subject} ${predicate} ${object}`);
      }
      expect(found.toSorted()).toEqual([...model.triples].toSorted());
      await graph.clear();
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
