import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";
import { readPages } from "../../../fixtures/read-pages.js";
import type { RetrieveInput, RetrieveReply } from "../../../memory-agent.js";

/** Expects the pages of a request, joined, to equal one page of all entries. */
async function expectWholeByPages(
  { caller, expect }: MemoryContext,
  request: RetrieveInput,
  { count, limit }: { readonly count: number; readonly limit: number },
): Promise<void> {
  const whole = await caller.retrieve({ ...request, limit: 1_000 });
  const pages = await readPages(caller, { ...request, limit });
  const what = `pages of a retrieve of ${count} entries with ${JSON.stringify({ ...request, limit })}`;
  expect.equal(whole.entries.length, count, "entries of the same retrieve with limit 1000");
  const shown = ({ entries }: RetrieveReply) => entries.map(({ key, namespace }) => [key.id, namespace]);
  expect.equal(pages.flatMap(shown), shown(whole), `ids and namespaces on all ${what}`);
  expect.atMost(
    Math.max(...pages.map(({ entries }) => entries.length)),
    limit,
    `entries on the longest of the ${what}`,
  );
  expect.equal(pages.at(-1)?.cursor, undefined, `cursor of the last of the ${what}`);
}

export const cursorPageChecks: readonly Check[] = [
  memoryCheck({
    id: "cursor/pages-by-time-hold-all-once",
    clauses: ["RET-7", "PLUG-7"],
    async run(t) {
      const times = [5, 3, 3, 9, 3, 3, 7, 3, 1, 3.5, 9];
      await t.caller.store(times.map((occurred_at, id) => t.entry({ key: { id }, occurred_at })));
      await expectWholeByPages(t, { order: "newest" }, { count: 11, limit: 2 });
      await expectWholeByPages(t, { order: "oldest" }, { count: 11, limit: 3 });
      await expectWholeByPages(t, { order: "newest", since: 3, until: 9 }, { count: 8, limit: 4 });
    },
  }),
  memoryCheck({
    id: "cursor/pages-by-score-hold-all-once",
    clauses: ["RET-7", "PLUG-7"],
    features: ["full_text"],
    async run(t) {
      const importances = [0.5, 1, 0.5, 0.25, 0.5, 0.5, 1, 0.5, 0.25, 0.5, 0.75];
      const found = importances.map((importance, id) => t.entry({ ...HERON, key: { id }, importance }));
      await t.caller.store([...found, t.entry({ content: "a train leaves" })]);
      await expectWholeByPages(
        t,
        { query: "heron", mode: "text", order: "relevance" },
        { count: 11, limit: 2 },
      );
      await expectWholeByPages(t, { query: "heron", mode: "text", order: "newest" }, { count: 11, limit: 3 });
    },
  }),
  memoryCheck({
    id: "cursor/pages-of-a-subtree-hold-all-once",
    clauses: ["RET-7", "PLUG-7"],
    features: ["subtree"],
    async run(t) {
      const { namespace } = t.caller;
      const names = ["b", "a", "a/b", "c", "b/a"];
      for (const name of names) {
        const entries = [1, 2].map((id) => t.entry({ key: { id }, occurred_at: 1_000 }));
        await t.caller.store(entries, { namespace: `${namespace}/${name}` });
      }
      await expectWholeByPages(t, { order: "newest", namespace: `${namespace}/**` }, { count: 10, limit: 3 });
      await expectWholeByPages(t, { order: "oldest", namespace: `${namespace}/**` }, { count: 10, limit: 1 });
    },
  }),
  memoryCheck({
    id: "cursor/total-is-the-same-on-every-page",
    clauses: ["PLUG-7", "RET-3"],
    async run({ caller, entry, expect }) {
      await caller.store([1, 2, 3, 4, 5, 6, 7].map((id) => entry({ key: { id }, occurred_at: id })));
      const pages = await readPages(caller, { limit: 3, until: 7 });
      expect.equal(pages.flatMap(foundIds), [6, 5, 4, 3, 2, 1], "ids on the pages of 6 entries with limit 3");
      const totals = pages.map(({ total }) => total);
      expect.equal(
        totals,
        totals.map(() => 6),
        "totals of these pages",
      );
    },
  }),
  memoryCheck({
    id: "cursor/limit-may-change",
    clauses: ["RET-9", "RET-7"],
    async run({ caller, entry, expect }) {
      await caller.store([1, 2, 3, 4, 5, 6].map((id) => entry({ key: { id }, occurred_at: id })));
      const first = await caller.retrieve({ limit: 2 });
      const { cursor } = first;
      expect.equal(foundIds(first), [6, 5], "ids on the first page with limit 2 of 6 entries");
      expect.holds(
        typeof cursor === "string",
        "cursor of a page with limit 2 of 6 entries",
        cursor,
        "a string",
      );
      const longer = await caller.retrieve({ limit: 3, cursor });
      expect.equal(foundIds(longer), [4, 3, 2], "ids after the cursor of that page, with limit 3");
      const shorter = await caller.retrieve({ limit: 1, cursor });
      expect.equal(foundIds(shorter), [4], "ids after the same cursor, with limit 1");
    },
  }),
  memoryCheck({
    id: "cursor/unchanged-entries-once-while-others-write",
    clauses: ["RET-10"],
    async run({ caller, entry, expect }) {
      for (const order of ["newest", "oldest"] as const) {
        const made = (id: number) => entry({ key: { id, order }, occurred_at: id, tags: [order] });
        await caller.store([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(made));
        const afterFirst = async ({ entries }: RetrieveReply) => {
          await caller.forget({ keys: [{ id: "none" }, ...entries.slice(-1).map(({ key }) => key)] });
          await caller.store([12, 11, 9.5, 6.5, 2.5, 0.5, 0.25].map(made));
          await caller.store({ ...made(5), content: "changed" });
        };
        const afterSecond = () => caller.forget({ keys: [{ id: 6.5, order }] });
        const pages = await readPages(caller, { order, tags: [order], limit: 2 }, [afterFirst, afterSecond]);
        const seen = pages.flatMap(foundIds);
        const written = [0.25, 0.5, 2.5, 5, 6.5, 9.5, 11, 12, order === "newest" ? 9 : 2];
        const what = `unchanged ids on pages of 2 of the ids 1 to 10 by ${order}, with changes after the first page`;
        const unchanged = [1, 2, 3, 4, 6, 7, 8, 9, 10].filter((id) => !written.includes(id));
        expect.sameMembers(
          seen.filter((id) => !written.includes(id as number)),
          unchanged,
          what,
        );
      }
    },
  }),
];
