import { type Check, hostCheck, hostTierCheck, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";
import { inTotalOrder } from "../../../fixtures/total-order.js";
import { vectorAt } from "../../../fixtures/vector-at.js";
import { orderEdgeChecks } from "./order-edges.js";
import { orderOfTiersChecks } from "./order-of-tiers.js";

/** Names with another order by locale, without case, or by code points: U+FF5E is after U+1F600 in code units. */
const NAMES = ["c", "a", "b/a", "b", "B", "ä", "z", "\uff5e", "\u{1f600}"];

const memoryChecks: readonly Check[] = [
  memoryCheck({
    id: "order/by-occurred-at",
    clauses: ["RET-5"],
    async run({ caller, entry, expect, passTime }) {
      const times = [300, 100.5, 500, 200, 100, 400];
      const inputs = times.map((id) => entry({ key: { id }, occurred_at: id }));
      for (const input of inputs) await caller.store(input);
      await passTime(1);
      await caller.store({ ...inputs[3]!, content: "changed later than the others" });
      const what = `stored in the order ${times}, with 200 changed last`;
      const newest = await caller.retrieve({ order: "newest" });
      expect.equal(
        foundIds(newest),
        [500, 400, 300, 200, 100.5, 100],
        `occurred_at of entries with order newest, ${what}`,
      );
      const oldest = await caller.retrieve({ order: "oldest" });
      expect.equal(
        foundIds(oldest),
        [100, 100.5, 200, 300, 400, 500],
        `occurred_at of entries with order oldest, ${what}`,
      );
      const two = await caller.retrieve({ order: "oldest", limit: 2 });
      expect.equal(
        foundIds(two),
        [100, 100.5],
        `occurred_at of entries with order oldest and limit 2, ${what}`,
      );
    },
  }),
  memoryCheck({
    id: "order/equal-times-by-seq",
    clauses: ["RET-5"],
    async run({ caller, entry, expect }) {
      const inputs = ["a", "b", "c", "d", "e"].map((id) => entry({ key: { id }, occurred_at: 1_000 }));
      for (const input of inputs) await caller.store(input);
      for (const at of [2, 0]) await caller.store({ ...inputs[at]!, content: "changed" });
      for (const order of ["newest", "oldest"] as const) {
        const { entries } = await caller.retrieve({ order });
        const shown = (found: typeof entries) => found.map(({ key, seq }) => [key.id, seq]);
        const what = `key and seq of 5 entries with the same occurred_at and order ${order}, with c and a changed later`;
        expect.equal(entries.length, 5, `number of entries with order ${order}`);
        expect.equal(shown(entries), shown(inTotalOrder(entries, order)), what);
      }
    },
  }),
  memoryCheck({
    id: "order/by-descending-score",
    clauses: ["RET-5"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const importances = [0.4, 0.9, 0.1, 0.6, 1, 0.2, 0.8];
      await caller.store(importances.map((id) => entry({ ...HERON, key: { id }, importance: id })));
      const found = await caller.retrieve({ query: "heron" });
      expect.equal(
        foundIds(found),
        [1, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1],
        "importances of query results that differ in no other field",
      );
      const first = await caller.retrieve({ query: "heron", limit: 2 });
      expect.equal(foundIds(first), [1, 0.9], "importances of the same with limit 2");
    },
  }),
  memoryCheck({
    id: "order/equal-scores-by-key-hash",
    clauses: ["RET-5"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      await caller.store(Array.from({ length: 9 }, () => entry(HERON)));
      const { entries } = await caller.retrieve({ query: "heron" });
      const shown = (found: typeof entries) => found.map(({ score, key_hash }) => [score, key_hash]);
      expect.equal(
        entries.length,
        9,
        "number of query results among 9 entries that differ only in their keys",
      );
      expect.equal(
        shown(entries),
        shown(inTotalOrder(entries, "relevance")),
        "score and key hash of the same, in order",
      );
    },
  }),
  memoryCheck({
    id: "order/equal-scores-by-namespace",
    clauses: ["RET-5"],
    features: ["full_text", "subtree"],
    async run({ caller, entry, expect }) {
      for (const name of NAMES) {
        await caller.store([entry(HERON), entry(HERON)], { namespace: `${caller.namespace}/${name}` });
      }
      const namespace = `${caller.namespace}/**`;
      const { entries } = await caller.retrieve({ query: "heron", namespace, limit: 50 });
      const shown = (found: typeof entries) => found.map((one) => [one.score, one.namespace, one.key_hash]);
      const what =
        "score, namespace and key hash of the results of a subtree query, with 2 equal entries in each of 9 namespaces";
      expect.equal(entries.length, 18, "number of entries that a query of a subtree finds");
      expect.equal(shown(entries), shown(inTotalOrder(entries, "relevance")), what);
    },
  }),
  memoryCheck({
    id: "order/by-time-with-a-query",
    clauses: ["RET-5"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const found = [1, 5, 3, 4].map((at) =>
        entry({ ...HERON, key: { id: at }, occurred_at: at, importance: 1 / at }),
      );
      const other = entry({ key: { id: "other" }, content: "a train leaves", occurred_at: 2 });
      await caller.store([...found, other]);
      const what = "occurred_at of the results of a query in mode text with order";
      for (const [order, times] of [
        ["newest", [5, 4, 3, 1]],
        ["oldest", [1, 3, 4, 5]],
      ] as const) {
        const reply = await caller.retrieve({ query: "heron", mode: "text", order });
        expect.equal(foundIds(reply), times, `${what} ${order}`);
      }
    },
  }),
];

const hostChecks: readonly Check[] = [
  hostCheck({
    id: "order/defaults-to-newest",
    clauses: ["RET-6"],
    async run({ caller, entry, expect }) {
      await caller.store([2, 3, 1].map((id) => entry({ key: { id }, occurred_at: id, importance: 1 / id })));
      const listed = await caller.retrieve();
      expect.equal(
        foundIds(listed),
        [3, 2, 1],
        "occurred_at of the entries of a retrieve without order and query",
      );
    },
  }),
  hostTierCheck({
    id: "order/defaults-to-relevance",
    clauses: ["RET-6"],
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      const importances = [0.5, 1, 0.25];
      await caller.store(
        importances.map((id, at) => entry({ ...HERON, key: { id }, importance: id, occurred_at: at })),
      );
      const found = await caller.retrieve({ query: "heron" });
      expect.equal(
        foundIds(found),
        [1, 0.5, 0.25],
        "importances of the results of a query without order, of otherwise equal entries",
      );
    },
  }),
  hostTierCheck({
    id: "order/defaults-to-relevance-with-an-embedding",
    clauses: ["RET-6"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder }) {
      const importances = [0.5, 1, 0.25];
      const vector = vectorAt(embedder, 0);
      await caller.store(
        importances.map((id, at) => entry({ key: { id }, importance: id, occurred_at: at, ...vector })),
      );
      const found = await caller.retrieve(vector);
      const what =
        "importances of the results of an embedding without order, of entries with the same vector";
      expect.equal(foundIds(found), [1, 0.5, 0.25], what);
    },
  }),
];

export const orderChecks: readonly Check[] = [
  ...memoryChecks,
  ...orderEdgeChecks,
  ...hostChecks,
  ...orderOfTiersChecks,
];
