import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import type { EntryInput, MemoryAgent, RetrieveInput } from "../../../memory-agent.js";

/** Stores entries one after another, so that `seq` increases. */
async function storeInTurn(agent: MemoryAgent, entries: readonly EntryInput[]): Promise<void> {
  for (const one of entries) await agent.store(one);
}

/** Returns the entry found by its key, and the ids of its neighbours. */
async function around(agent: MemoryAgent, id: string | number, request: RetrieveInput) {
  const { entries, total } = await agent.retrieve({ keys: [{ id }], ...request });
  const { before, after } = entries[0]?.neighbours ?? { before: [], after: [] };
  const ids = { before: foundIds({ entries: before }), after: foundIds({ entries: after }) };
  return { ...ids, total, found: entries[0], neighbours: [...before, ...after] };
}

export const expandChecks: readonly Check[] = [
  memoryCheck({
    id: "expand/nearest-of-the-group-by-seq",
    clauses: ["RET-29", "PLUG-3"],
    features: ["expand"],
    async run({ caller, entry, expect }) {
      const turns = [1, 2, 3, 4, 5, 6].map((id) =>
        entry({ key: { id }, group: "talk", content: id, occurred_at: 100 - id }),
      );
      const others = [entry({ key: { id: "elsewhere" }, group: "other" }), entry({ key: { id: "alone" } })];
      await storeInTurn(caller, [...turns.slice(0, 3), ...others, ...turns.slice(3)]);
      await caller.store({ ...turns[1]!, content: "updated" });
      const what = "of entries 1 to 6 of a group, stored in this order, 2 updated last, times descending";
      for (const [id, expand, before, after] of [
        [4, { before: 2, after: 1 }, [2, 3], [5]],
        [1, { before: 2, after: 2 }, [], [2, 3]],
        [6, { before: 20, after: 20 }, [1, 2, 3, 4, 5], []],
        [3, { after: 3 }, [], [4, 5, 6]],
        ["elsewhere", { before: 2, after: 2 }, [], []],
        ["alone", { before: 2, after: 2 }, [], []],
      ] as const) {
        const got = await around(caller, id, { expand });
        const of = `neighbours of ${id} with expand ${JSON.stringify(expand)}, ${what}`;
        expect.holds(got.found?.neighbours !== undefined, `whether there are lists of ${of}`, got.found);
        expect.equal({ before: got.before, after: got.after }, { before, after }, `ids of ${of}`);
      }
    },
  }),
  memoryCheck({
    id: "expand/whatever-the-criteria-select",
    clauses: ["RET-30", "RET-26"],
    features: ["expand"],
    async run({ caller, agent, entry, expect }) {
      const elsewhere = agent({ below: "elsewhere" });
      const turn = (id: number, fields: Partial<EntryInput> = {}) =>
        entry({ key: { id }, group: "talk", importance: 0.25, context: "said before", ...fields });
      await caller.store(turn(1));
      await elsewhere.store(turn(2));
      await caller.store(turn(3, { tags: ["wanted"], importance: 1 }));
      await elsewhere.store(turn(4));
      await caller.store(turn(5));
      const expand = { before: 5, after: 5 };
      const got = await around(caller, 3, { tags: ["wanted"], min_score: 0.5, expand });
      const what =
        "of the one entry with a tag and a score above 0.5, with its group also in another namespace";
      expect.equal(
        { before: got.before, after: got.after },
        { before: [1], after: [5] },
        `neighbours ${what}`,
      );
      expect.equal(got.total, 1, `total ${what}, with expand`);
      for (const { score, context } of got.neighbours) {
        expect.equal(score, 0.25, `score of a neighbour of importance 0.25 ${what}`);
        expect.equal(context, undefined, "`context` of a neighbour without `include`");
      }
      const full = await around(caller, 3, { expand, include: ["context", "embedding"] });
      for (const neighbour of full.neighbours) {
        expect.equal(neighbour.context, "said before", "`context` of a neighbour with include [context]");
        expect.equal("embedding" in neighbour, false, "whether a neighbour has an `embedding`");
      }
      expect.equal(full.neighbours.length, 2, "neighbours with include [context, embedding]");
    },
  }),
  memoryCheck({
    id: "expand/score-is-the-importance-in-a-ranking-too",
    clauses: ["RET-30"],
    features: ["expand", "full_text"],
    async run({ caller, entry, expect }) {
      await storeInTurn(caller, [
        entry({ key: { id: 1 }, group: "talk", content: "is there a heron", importance: 0.75 }),
        entry({ key: { id: 2 }, group: "talk", content: "the grey heron stands in the reeds" }),
        entry({ key: { id: 3 }, group: "talk", content: "a storm passes", importance: 0.5 }),
      ]);
      const got = await around(caller, 2, { query: "grey heron", expand: { before: 1, after: 1 } });
      const scores = got.neighbours.map(({ score }) => score);
      const what = "scores of the neighbours of a query result, with the importances 0.75 and 0.5";
      expect.equal(scores, [0.75, 0.5], what);
    },
  }),
  memoryCheck({
    id: "expand/none-that-has-ended",
    clauses: ["RET-30", "RET-16"],
    features: ["expand", "ttl"],
    async run({ caller, entry, expect, passTime }) {
      await storeInTurn(caller, [
        entry({ key: { id: 1 }, group: "talk" }),
        entry({ key: { id: 2 }, group: "talk", ttl: 1 }),
        entry({ key: { id: 3 }, group: "talk" }),
      ]);
      await passTime(2);
      const { before } = await around(caller, 3, { expand: { before: 2, after: 0 } });
      const what =
        "neighbours before the third of a group, 2 s after the second was stored with a ttl of 1 s";
      expect.equal(before, [1], what);
    },
  }),
];
