import { type Check, hostTierCheck } from "../../../catalogue/check.js";
import { listPages } from "../../../fixtures/listed.js";

/**
 * Namespaces in the order of their UTF-16 code units. The order differs by locale, by case, by code points, or
 * segment by segment.
 */
const NAMES = ["B", "a", "a b", "a-b", "a/b", "a0", "b", "z", "ä", "\u{1f600}", "\uff5e"];

export const listOrderChecks: readonly Check[] = [
  hostTierCheck({
    id: "list/namespaces-are-ordered-by-code-units",
    clauses: ["LIST-8", "LIST-10"],
    features: ["list", "subtree"],
    async run({ caller, entry, expect, random }) {
      const path = (name: string) => `${caller.namespace}/${name}`;
      for (const name of random.shuffle(NAMES)) {
        const entries = [entry({ occurred_at: 5 }), entry({ occurred_at: 5 })];
        await caller.store(entries.slice(0, name === "z" ? 2 : 1), { namespace: path(name) });
      }
      const tied = NAMES.filter((name) => name !== "z");
      for (const [order, names] of [
        ["name", NAMES],
        ["count", ["z", ...tied]],
        ["newest", NAMES],
      ] as const) {
        for (const limit of [2, 100]) {
          const pages = await listPages(caller, { namespace: path("**"), order, limit });
          const got = pages.flatMap(({ items }) => items.map(({ value }) => value));
          const what = `namespaces of a list by ${order} with limit ${limit}, where equal ones are by name`;
          expect.equal(got, names.map(path), what);
        }
      }
    },
  }),
];
