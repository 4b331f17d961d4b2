import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { RetrieveReply } from "../../../memory-agent.js";

const TEXTS = [
  "a grey heron by the lake",
  "the lake is cold",
  "a heron",
  "a train to the lake leaves at noon",
];

const shown = ({ entries, total }: RetrieveReply) => ({
  total,
  scores: entries.map(({ key, score }) => [key.id, score]),
});

export const scorePartitionChecks: readonly Check[] = [
  memoryCheck({
    id: "score/depends-on-no-other-partition",
    clauses: ["SCOPE-1", "RET-8"],
    features: ["full_text"],
    async run({ caller, agent, entry, expect }) {
      await caller.store(TEXTS.map((content, id) => entry({ key: { id }, content, occurred_at: 1_000 })));
      const request = { query: "grey heron lake" };
      const before = shown(await caller.retrieve(request));
      const neighbours = [agent({ below: "a" }), agent({ agent: "second", below: "b" })];
      for (const neighbour of neighbours) {
        await neighbour.store(
          Array.from({ length: 30 }, (_, at) => entry({ content: at % 2 ? "heron" : "the grey lake" })),
        );
      }
      const after = shown(await caller.retrieve(request));
      expect.equal(before.total, 4, "total of a query with words of 4 entries of the namespace");
      expect.equal(
        after,
        before,
        "total and scores of the same query after two other namespaces got 30 entries with its words",
      );
    },
  }),
  memoryCheck({
    id: "score/in-a-subtree-is-that-of-its-namespace",
    clauses: ["SCOPE-1", "RET-8"],
    features: ["full_text", "subtree"],
    async run({ caller, agent, entry, expect }) {
      const [one, two] = [agent({ below: "one" }), agent({ below: "two" })];
      await one.store(
        TEXTS.map((content, id) => entry({ key: { id }, content, occurred_at: 1_000, importance: 0.5 })),
      );
      const best = Array.from({ length: 9 }, () => entry({ content: "grey heron lake", occurred_at: 1_000 }));
      await two.store(best);
      const request = { query: "grey heron lake", limit: 100 };
      const alone = await one.retrieve(request);
      const together = await caller.retrieve({ ...request, namespace: `${caller.namespace}/**` });
      const ofOne = together.entries.filter(({ namespace }) => namespace === one.namespace);
      const what =
        "scores of the entries of one namespace in a subtree query, with better entries in another one";
      expect.equal(alone.total, 4, "total of a query in one namespace with words of its 4 entries");
      expect.equal(
        shown({ ...together, entries: ofOne }).scores,
        shown(alone).scores,
        `${what}, equal to a separate query of it`,
      );
      expect.equal(together.total, 13, "total of the same query in the subtree of both");
    },
  }),
];
