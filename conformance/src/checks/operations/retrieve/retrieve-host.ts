import { type Check, hostCheck, hostTierCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";
import { readPages } from "../../../fixtures/read-pages.js";
import { inTotalOrder } from "../../../fixtures/total-order.js";

const LARGE_ENTRY_BYTES = 200_000;

export const retrieveHostChecks: readonly Check[] = [
  hostCheck({
    id: "retrieve/limit-defaults-to-ten",
    clauses: ["RET-2"],
    async run({ caller, entry, expect }) {
      await caller.store(Array.from({ length: 15 }, (_, id) => entry({ key: { id } })));
      const { entries, total } = await caller.retrieve();
      expect.equal(entries.length, 10, "entries of a retrieve without limit, of 15");
      expect.equal(total, 15, "total of the same");
    },
  }),
  hostCheck({
    id: "retrieve/limit-defaults-to-number-of-keys",
    clauses: ["RET-2"],
    async run({ caller, entry, expect }) {
      const keys = Array.from({ length: 13 }, (_, id) => ({ id }));
      await caller.store(keys.map((key) => entry({ key })));
      const all = await caller.retrieve({ keys });
      expect.equal(all.entries.length, 13, "entries of a retrieve of 13 keys without limit");
      const some = await caller.retrieve({ keys, limit: 4 });
      expect.equal(some.entries.length, 4, "entries of a retrieve of 13 keys with limit 4");
    },
  }),
  hostCheck({
    id: "retrieve/without-tier-concerns-all-tiers",
    clauses: ["CRIT-14"],
    async run({ caller, entry, expect, tiers, send }) {
      for (const tier of tiers) await caller.store(entry({ tier, key: { id: "same" } }));
      const { namespace } = caller;
      const { message } = await send("retrieve", { type: "memory/retrieve/req", namespace });
      const found = message.entries as { readonly tier: string }[] | undefined;
      const what = `a retrieve without tier, with one entry in each of ${tiers.join(", ")}`;
      expect.sameMembers(found?.map(({ tier }) => tier) ?? [], tiers, `tiers of the entries of ${what}`);
      expect.equal(message.total, tiers.length, `total of ${what}`);
    },
  }),
  hostTierCheck({
    id: "retrieve/query-without-tier-merges-all-tiers",
    clauses: ["RET-19", "RET-5"],
    features: ["full_text"],
    async run({ caller, entry, expect, tier, tiers }) {
      const importances = [1, 0.05];
      for (const each of tiers) {
        await caller.store(
          importances.map((importance) =>
            entry({ ...HERON, tier: each, key: { id: importance }, importance }),
          ),
        );
      }
      const { entries } = await caller.retrieve({ query: "heron", tier: null, limit: 100 });
      const ofTier = entries.filter((found) => found.tier === tier);
      const what = `a query without tier, with the same 2 entries of importance 1 and 0.05 in each of ${tiers.join(", ")}`;
      expect.equal(
        foundIds({ entries: ofTier }),
        importances,
        `importances of the results of ${what} in ${tier}`,
      );
      const shown = (found: typeof entries) => found.map((one) => [one.score, one.tier]);
      const sorted = shown(inTotalOrder(entries, "relevance"));
      expect.equal(shown(entries), sorted, `score and tier of the results of ${what}, in total order`);
    },
  }),
  hostCheck({
    id: "retrieve/page-is-cut-to-payload",
    clauses: ["RET-15", "RET-7"],
    async run({ caller, entry, expect, bus }) {
      const count = Math.ceil((bus.maxPayloadBytes * 1.5) / LARGE_ENTRY_BYTES);
      const content = "x".repeat(LARGE_ENTRY_BYTES);
      const ids = Array.from({ length: count }, (_, at) => count - at);
      for (const id of ids)
        await caller.store(entry({ key: { id }, content, text: "large", occurred_at: id }));
      const pages = await readPages(caller, { limit: 1_000 });
      const what = `the pages of ${count} entries of 200 kB, where a message holds ${bus.maxPayloadBytes} bytes`;
      expect.equal(pages.flatMap(foundIds), ids, `ids on ${what}`);
      expect.atLeast(pages.length, 2, `number of ${what}`);
      const totals = pages.map(({ total }) => total);
      expect.equal(
        totals,
        totals.map(() => count),
        `totals of ${what}`,
      );
    },
  }),
  hostCheck({
    id: "retrieve/order-relevance-needs-something-to-rank-by",
    clauses: ["RET-18"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "there" } }));
      const what = "a retrieve with order relevance, without query and embedding";
      const refusal = await expect.refused(caller.retrieve({ order: "relevance" }), "schema_violation", what);
      expect.equal(refusal.detail.path, "order", `\`path\` in the error of ${what}`);
      await expect.refused(
        caller.retrieve({ order: "relevance", query: "" }),
        "schema_violation",
        "a retrieve with order relevance and an empty query, which counts as not given",
      );
      const newest = await caller.retrieve({ order: "newest" });
      expect.equal(foundIds(newest), ["there"], "entries of the same request with order newest");
    },
  }),
  hostCheck({
    id: "retrieve/took-ms-names-stages",
    clauses: ["RET-20"],
    async run({ caller, entry, expect, send }) {
      await caller.store(entry());
      const { message } = await send("retrieve", {
        type: "memory/retrieve/req",
        namespace: caller.namespace,
      });
      const times = Object.values((message.took_ms ?? {}) as Record<string, unknown>);
      expect.atLeast(times.length, 1, "number of stages in `took_ms` of a retrieve");
      const sound = times.every((time) => typeof time === "number" && time >= 0);
      expect.holds(
        sound,
        "`took_ms` of a retrieve",
        message.took_ms,
        "milliseconds of each stage, none below 0",
      );
    },
  }),
];
