import type { MemoryEntry, Order } from "@membus/protocol";
import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";
import { readPages } from "../../../fixtures/read-pages.js";
import { inTotalOrder } from "../../../fixtures/total-order.js";

/** Times that single precision, whole seconds, milliseconds or 32 bits make equal, in ascending order. */
const CLOSE_TIMES = [
  ...[0, 0.001, 0.002, 1, 1.000_001, 86_399.999, 86_400, 16_777_216, 16_777_217],
  ...[1_700_000_000, 1_700_000_000.000_001, 1_700_000_000.001, 1_700_000_000.001_5, 1_700_000_001],
  ...[2_147_483_647, 2_147_483_648.5, 4_294_967_295.5, 4_294_967_296, 9_999_999_999, 99_999_999_999, 1e11],
];

/** Namespaces with another order by locale, by case, by code points, or by segments. */
const NAMESPACES = ["b", "b-", "b/a", "B", "a", "ä", "z", "\uff5e", "\u{1f600}"];
const TIMES = [7, 7, 8];
const IMPORTANCES = [0.5, 1, 0.5];

const placeOf = ({ occurred_at, seq, score, namespace, key_hash }: MemoryEntry, order: Order) =>
  order === "relevance" ? [score, namespace, key_hash] : [occurred_at, seq, namespace, key_hash];

export const orderEdgeChecks: readonly Check[] = [
  memoryCheck({
    id: "order/times-that-are-close",
    clauses: ["RET-5", "CRIT-13", "ENTRY-10"],
    async run({ caller, entry, expect, features, random }) {
      const entries = CLOSE_TIMES.map((id) => entry({ key: { id }, occurred_at: id, group: `at ${id}` }));
      await caller.store(random.shuffle(entries));
      const newest = await caller.retrieve({ order: "newest", limit: 50 });
      expect.equal(foundIds(newest), CLOSE_TIMES.toReversed(), "occurred_at of close times, newest first");
      const oldest = await caller.retrieve({ order: "oldest", limit: 50 });
      expect.equal(foundIds(oldest), CLOSE_TIMES, "occurred_at of close times, oldest first");
      for (const [at, time] of CLOSE_TIMES.entries()) {
        const since = await caller.retrieve({ since: time, order: "oldest", limit: 50 });
        expect.equal(foundIds(since), CLOSE_TIMES.slice(at), `occurred_at of the entries since ${time}`);
        const until = await caller.retrieve({ until: time, order: "oldest", limit: 50 });
        expect.equal(foundIds(until), CLOSE_TIMES.slice(0, at), `occurred_at of the entries until ${time}`);
      }
      if (!features.list) return;
      const { items } = await caller.list({ field: "group" });
      const listed = items.map(({ value, newest: latest }) => [value, latest]);
      expect.sameMembers(
        listed,
        CLOSE_TIMES.map((time) => [`at ${time}`, time]),
        "groups and `newest` of a list of entries with close times",
      );
    },
  }),
  pluginCheck({
    id: "order/ties-at-every-level",
    clauses: ["RET-5", "PLUG-7", "RET-7"],
    features: ["subtree"],
    async run({ caller, entry, expect, features, random, now, holdTime }) {
      holdTime(Math.ceil(now()) + 1);
      for (const name of random.shuffle(NAMESPACES)) {
        const namespace = `${caller.namespace}/${name}`;
        const tied = TIMES.map((occurred_at, at) =>
          entry({ content: HERON.content, key: { at }, occurred_at, importance: IMPORTANCES[at]! }),
        );
        await caller.store(tied, { namespace });
      }
      const count = NAMESPACES.length * TIMES.length;
      const request = { namespace: `${caller.namespace}/**`, limit: 100 };
      const orders: readonly Order[] = [
        "newest",
        "oldest",
        ...(features.full_text ? ["relevance" as const] : []),
      ];
      for (const order of orders) {
        const query = order === "relevance" ? { query: "heron", mode: "text" as const } : {};
        const asked = { ...request, ...query, order };
        const shown = (entries: readonly MemoryEntry[]) => entries.map((one) => placeOf(one, order));
        const { entries } = await caller.retrieve(asked);
        const what = `of ${count} entries that were stored at one moment, with order ${order}`;
        expect.equal(entries.length, count, `number ${what}`);
        expect.equal(shown(entries), shown(inTotalOrder(entries, order)), `places ${what}`);
        const pages = await readPages(caller, { ...asked, limit: 5 });
        const paged = pages.flatMap((page) => page.entries);
        const paging = `places on pages of 5 ${what}, compared with one page`;
        expect.equal(shown(paged), shown(entries), paging);
      }
    },
  }),
];
