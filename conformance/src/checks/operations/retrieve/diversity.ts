import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { inTotalOrder } from "../../../fixtures/total-order.js";
import type { EntryInput } from "../../../memory-agent.js";

const SAME = "the heron stands in the reeds at dawn";
const OTHER = "a heron stole seven goldfish from our pond";

/** Returns three entries with the same text, and a less important one with another text. */
function alike(entry: (fields: Partial<EntryInput>) => EntryInput): EntryInput[] {
  return [
    entry({ key: { id: "first" }, content: SAME, importance: 1 }),
    entry({ key: { id: "second" }, content: SAME, importance: 0.9 }),
    entry({ key: { id: "third" }, content: SAME, importance: 0.8 }),
    entry({ key: { id: "other" }, content: OTHER, importance: 0.5 }),
  ];
}

const WHAT = "of three entries with the same text and a less important fourth with another text";

export const diversityChecks: readonly Check[] = [
  memoryCheck({
    id: "diversity/alike-entries-give-way",
    clauses: ["RET-25", "PLUG-3"],
    features: ["diversity", "full_text"],
    async run({ caller, entry, expect }) {
      await caller.store(alike(entry));
      const found = async (limit: number, diversity?: number) =>
        foundIds(await caller.retrieve({ query: "heron", limit, diversity }));
      expect.equal(await found(2), ["first", "second"], `ids of a page of 2 without \`diversity\`, ${WHAT}`);
      expect.equal(await found(2, 0), ["first", "second"], `ids of a page of 2 with diversity 0, ${WHAT}`);
      expect.equal(
        await found(2, 0.01),
        ["first", "second"],
        `ids of a page of 2 with diversity 0.01, ${WHAT}`,
      );
      expect.equal(await found(2, 0.9), ["first", "other"], `ids of a page of 2 with diversity 0.9, ${WHAT}`);
    },
  }),
  memoryCheck({
    id: "diversity/lists-in-the-total-order",
    clauses: ["RET-25", "RET-5"],
    features: ["diversity", "full_text"],
    async run({ caller, entry, expect }) {
      await caller.store(alike(entry));
      const { entries } = await caller.retrieve({ query: "heron", limit: 3, diversity: 0.9 });
      const what = `of a page of 3 with diversity 0.9, ${WHAT}`;
      const ids = foundIds({ entries });
      expect.equal(ids, foundIds({ entries: inTotalOrder(entries, "relevance") }), `ids, in order, ${what}`);
      expect.equal(ids.at(-1), "other", `id of the last, ${what}`);
    },
  }),
  memoryCheck({
    id: "diversity/keeps-the-first-and-the-total",
    clauses: ["RET-26"],
    features: ["diversity", "full_text"],
    async run({ caller, entry, expect }) {
      await caller.store(alike(entry));
      for (const [limit, diversity] of [
        [1, 0.5],
        [1, 1],
        [2, 1],
        [0, 1],
      ] as const) {
        const found = await caller.retrieve({ query: "heron", limit, diversity });
        const what = `a page of ${limit} of 4 entries with diversity ${diversity}`;
        expect.equal(found.total, 4, `total of ${what}`);
        expect.equal(found.entries.length, limit, `entries of ${what}`);
        expect.equal(foundIds(found).slice(0, 1), ["first"].slice(0, limit), `id of the first of ${what}`);
      }
    },
  }),
];
