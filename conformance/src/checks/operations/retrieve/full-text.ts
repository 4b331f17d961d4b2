import { type Check, hostTierCheck, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";

/** Returns entries with these texts. The id is the index, and all other fields are equal. */
const asEntries = (texts: readonly string[]) =>
  texts.map((content, id) => ({ key: { id }, content, occurred_at: 1_000 }));

export const fullTextChecks: readonly Check[] = [
  memoryCheck({
    id: "full-text/finds-whole-words",
    clauses: ["PLUG-3"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const texts = [
        "the cat sleeps",
        "concatenate two lists",
        "dog,cat;bird",
        "a category of things",
        "room 4711",
        "room 471",
        "цапля и кошка",
        "le château fort",
      ];
      await caller.store(asEntries(texts).map((fields) => entry(fields)));
      const expected: [string, number[]][] = [
        ["cat", [0, 2]],
        ["4711", [4]],
        ["кошка", [6]],
        ["château", [7]],
      ];
      for (const [query, ids] of expected) {
        const found = await caller.retrieve({ query, mode: "text" });
        const what = `ids for the query "${query}" in mode text, where the texts are ${JSON.stringify(texts)}`;
        expect.sameMembers(foundIds(found), ids, what);
      }
    },
  }),
  memoryCheck({
    id: "full-text/nothing-in-common-is-not-found",
    clauses: ["PLUG-3", "RET-3"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      await caller.store(
        asEntries(["the heron stands in the reeds", "a train leaves"]).map((fields) => entry(fields)),
      );
      const none = await caller.retrieve({ query: "violin strings", mode: "text" });
      const what = "a query in mode text without any word of two entries";
      expect.equal([foundIds(none), none.total], [[], 0], `ids and total of ${what}`);
      const one = await caller.retrieve({ query: "violin train", mode: "text" });
      expect.equal(
        [foundIds(one), one.total],
        [[1], 1],
        "ids and total of a query that has one word of one of two entries",
      );
    },
  }),
  memoryCheck({
    id: "full-text/more-of-the-words-rank-higher",
    clauses: ["PLUG-3", "RET-5"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const texts = ["violin train cold", "heron train lake", "heron train cold", "heron violet lake"];
      await caller.store(asEntries(texts).map((fields) => entry(fields)));
      const found = await caller.retrieve({ query: "heron violet lake", mode: "text" });
      const what = `ids for the query "heron violet lake" in mode text, where the texts are ${JSON.stringify(texts)}`;
      expect.equal(foundIds(found), [3, 1, 2], what);
    },
  }),
  memoryCheck({
    id: "full-text/criteria-narrow-a-query",
    clauses: ["CRIT-1", "PLUG-8"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const { content } = HERON;
      const met = { tags: ["t"], group: "g", occurred_at: 1_500, metadata: { m: 1 } };
      await caller.store([
        entry({ key: { id: "both", of: "x" }, content, ...met }),
        entry({ key: { id: "criteria", of: "x" }, content: "a train leaves", ...met }),
        entry({ key: { id: "query", of: "y" }, content, occurred_at: 500 }),
      ]);
      const criteria = [
        { keys: ["both", "criteria"].map((id) => ({ id, of: "x" })) },
        { match: { of: "x" } },
        { tags: ["t", "u"] },
        { tags: ["t"], tags_mode: "all" as const },
        { group: "g" },
        { since: 1_000 },
        { since: 1_000, until: 2_000 },
        { where: { field: "metadata.m", op: "eq" as const, value: 1 } },
        { where: { not: { field: "group", op: "ne" as const, value: "g" } } },
      ];
      for (const one of criteria) {
        const { entries, total } = await caller.retrieve({ query: "heron", mode: "text", ...one });
        const what = `a query in mode text with ${JSON.stringify(one)}: one entry meets both, two meet either`;
        expect.equal(foundIds({ entries }), ["both"], `ids of ${what}`);
        expect.equal(total, 1, `total of ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "full-text/criteria-apply-before-limit",
    clauses: ["RET-1", "RET-3"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const wanted = [0.3, 0.2, 0.1].map((id) =>
        entry({ ...HERON, key: { id }, tags: ["wanted"], importance: id }),
      );
      const better = Array.from({ length: 60 }, () => entry({ ...HERON, tags: ["other"] }));
      await caller.store([...wanted, ...better]);
      const found = await caller.retrieve({ query: "heron", mode: "text", tags: ["wanted"], limit: 2 });
      const what = "of a query with a tag and limit 2: 60 better entries lack the tag and 3 have it";
      expect.equal(foundIds(found), [0.3, 0.2], `importances ${what}`);
      expect.equal(found.total, 3, `total ${what}`);
    },
  }),
  memoryCheck({
    id: "full-text/hybrid-without-similarity-uses-words",
    clauses: ["RET-12"],
    features: ["full_text"],
    withoutFeature: "similarity",
    async run({ caller, entry, expect }) {
      await caller.store(
        asEntries(["the heron stands in the reeds", "a train leaves"]).map((fields) => entry(fields)),
      );
      for (const mode of [undefined, "hybrid"] as const) {
        const found = await caller.retrieve({ query: "heron", mode });
        const what = `ids for the query "heron" with mode ${mode ?? "absent"}, on a tier that declares only full_text`;
        expect.equal(foundIds(found), [0], what);
      }
    },
  }),
  hostTierCheck({
    id: "full-text/mode-text-refused-where-undeclared",
    clauses: ["RET-12", "PLUG-4"],
    withoutFeature: "full_text",
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "there" }, content: "the heron stands in the reeds" }));
      const request = caller.retrieve({ query: "heron", mode: "text" });
      await expect.refused(
        request,
        "unsupported",
        "a query in mode text, on a tier that does not declare full_text",
      );
      expect.equal(foundIds(await caller.retrieve()), ["there"], "entries of a listing afterwards");
    },
  }),
];
