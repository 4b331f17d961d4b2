import { importanceFactor } from "@membus/protocol";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";
import type { RetrieveReply } from "../../../memory-agent.js";
import { scoreEdgeChecks } from "./score-edges.js";
import { scoreMinimumChecks } from "./score-minimum.js";
import { scorePartitionChecks } from "./score-partitions.js";

const scoresOf = ({ entries }: RetrieveReply) => entries.map(({ score }) => score);

const ownChecks: readonly Check[] = [
  memoryCheck({
    id: "score/is-importance-without-a-query",
    clauses: ["RET-8"],
    async run({ caller, entry, expect }) {
      const importances = [0.25, 1, 0, 0.75];
      await caller.store(
        importances.map((importance, id) => entry({ key: { id }, importance, occurred_at: 9 - id })),
      );
      const what = "of entries with the importances 0.25, 1, 0 and 0.75";
      expect.equal(scoresOf(await caller.retrieve()), importances, `scores in a listing ${what}`);
      const byKey = await caller.retrieve({ keys: [{ id: 3 }] });
      expect.equal(scoresOf(byKey), [0.75], `score of the last ${what}, by its key`);
    },
  }),
  memoryCheck({
    id: "score/is-relevance-times-importance",
    clauses: ["RET-8"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const importances = [1, 0.5, 0.25, 0.125];
      await caller.store(importances.map((id) => entry({ ...HERON, key: { id }, importance: id })));
      const found = await caller.retrieve({ query: "grey heron" });
      const what =
        "of the results of a query: entries with the same text and the importances 1, 0.5, 0.25 and 0.125";
      expect.equal(foundIds(found), importances, `importances, in order, ${what}`);
      const [relevance = 0] = scoresOf(found);
      expect.holds(relevance > 0, `score of the first ${what}`, relevance, "more than 0");
      for (const { key, score } of found.entries) {
        const importance = Number(key.id);
        expect.near(
          score / relevance,
          importanceFactor(importance),
          1e-5,
          `score of the one with ${importance}, as a share of the first, ${what}`,
        );
      }
    },
  }),
  memoryCheck({
    id: "score/is-within-0-and-1",
    clauses: ["RET-8"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const contents = [
        "heron",
        "heron heron heron",
        Array.from({ length: 200 }, () => "grey heron").join(" "),
      ];
      await caller.store(
        contents.map((content, id) => entry({ key: { id }, content, context: "heron", group: "heron" })),
      );
      for (const query of ["heron", "grey heron", "heron heron heron heron heron"]) {
        const found = await caller.retrieve({ query });
        expect.equal(
          found.total,
          3,
          `total of the query "${query}", of 3 entries with the word heron up to 200 times`,
        );
        const areWithin = scoresOf(found).every((score) => score > 0 && score <= 1);
        expect.holds(
          areWithin,
          `scores of the query "${query}"`,
          scoresOf(found),
          "more than 0 and at most 1",
        );
      }
    },
  }),
  memoryCheck({
    id: "score/total-counts-what-a-query-finds",
    clauses: ["RET-3"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const found = [1, 2, 3, 4, 5, 6].map((id) =>
        entry({ ...HERON, key: { id }, tags: id < 5 ? ["t"] : [] }),
      );
      const others = [7, 8, 9].map((id) => entry({ key: { id }, content: "a train leaves", tags: ["t"] }));
      await caller.store([...found, ...others, entry({ ...HERON, key: { id: 10 }, importance: 0 })]);
      const request = { query: "heron", mode: "text" as const };
      const page = await caller.retrieve({ ...request, limit: 2 });
      const what = "of a query in mode text for a word in 7 of 10 entries, one of them of importance 0";
      expect.equal([page.entries.length, page.total], [2, 7], `entries and total, with limit 2, ${what}`);
      const whole = await caller.retrieve({ ...request, limit: 100 });
      expect.sameMembers(foundIds(whole), [1, 2, 3, 4, 5, 6, 10], `ids ${what}`);
      const tagged = await caller.retrieve({ ...request, tags: ["t"], limit: 1 });
      expect.equal(tagged.total, 4, `total with a tag that 4 of the 7 have, ${what}`);
    },
  }),
  memoryCheck({
    id: "score/is-not-written-by-reading",
    clauses: ["RET-8"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ ...HERON, importance: 0.5 }),
        entry({ ...HERON, content: "one heron among many other birds of the lake" }),
      ]);
      const shown = ({ entries }: RetrieveReply) =>
        entries.map(({ timestamps: { created, updated }, ...fields }) => ({ ...fields, created, updated }));
      const before = shown(await caller.retrieve());
      const first = await caller.retrieve({ query: "grey heron" });
      const second = await caller.retrieve({ query: "grey heron" });
      expect.equal(before.length, 2, "entries of a listing before any query");
      expect.equal(
        shown(await caller.retrieve()),
        before,
        "entries of a listing after two queries, equal to before except for `accessed`",
      );
      expect.equal(scoresOf(second), scoresOf(first), "scores of a repeated query");
    },
  }),
];

export const scoreChecks: readonly Check[] = [
  ...ownChecks,
  ...scoreMinimumChecks,
  ...scoreEdgeChecks,
  ...scorePartitionChecks,
];
