import { type Check, hostTierCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { listPages, valueCounts } from "../../../fixtures/listed.js";
import type { ListInput, ListReply } from "../../../memory-agent.js";

const values = ({ items }: ListReply) => items.map(({ value }) => value);

/** Four groups of 2, 3, 2 and 1 entries. Their latest times are 40, 30, 20 and 40. */
const GROUPS = { a: [10, 40], b: [30, 1, 2], c: [20, 20], d: [40] } as const;

async function storeGroups({ caller, entry }: MemoryContext): Promise<void> {
  const entries = Object.entries(GROUPS).flatMap(([group, times]) =>
    times.map((occurred_at) => entry({ group, occurred_at })),
  );
  await caller.store(entries);
}

/** Expected groups for every order. */
const ORDERS = {
  name: ["a", "b", "c", "d"],
  count: ["b", "a", "c", "d"],
  newest: ["a", "d", "b", "c"],
} as const;

/** Values sorted by name: booleans, numbers, then texts by UTF-16 code units. */
const BY_NAME = [
  false,
  true,
  -2,
  0,
  1.5,
  10,
  "",
  "!",
  "10",
  "9",
  "A",
  "a",
  "aa",
  "z",
  "ä",
  "\u{1f642}",
  "\uffee",
];

export const listPageChecks: readonly Check[] = [
  hostTierCheck({
    id: "list/order-is-by-name-count-or-newest",
    clauses: ["LIST-8"],
    features: ["list"],
    async run(t) {
      const { caller, entry, expect } = t;
      await storeGroups(t);
      for (const [order, expected] of Object.entries(ORDERS) as [keyof typeof ORDERS, readonly string[]][]) {
        const listed = values(await caller.list({ field: "group", order }));
        expect.equal(listed, expected, `values of a list by ${order}, of groups ${JSON.stringify(GROUPS)}`);
      }
      expect.equal(
        values(await caller.list({ field: "group" })),
        ORDERS.name,
        "values of a list without `order`",
      );
      const shuffled = BY_NAME.toSorted((a, b) => String(b).length - String(a).length);
      await caller.store(shuffled.map((value) => entry({ metadata: { value } })));
      const named = values(await caller.list({ field: "metadata.value" }));
      expect.equal(named, BY_NAME, "values of a list by name, of values of every type");
    },
  }),
  hostTierCheck({
    id: "list/limit-is-a-hundred-unless-given",
    clauses: ["LIST-9"],
    features: ["list"],
    async run({ caller, entry, expect }) {
      await caller.store(Array.from({ length: 101 }, (_, id) => entry({ key: { id } })));
      for (const [limit, count] of [
        [undefined, 100],
        [null, 100],
        [0, 0],
        [1, 1],
        [1_000, 101],
      ] as const) {
        const reply = await caller.list({ field: "key.id", limit });
        const what = `of a list with limit ${limit}, of 101 values`;
        expect.equal(reply.items.length, count, `items ${what}`);
        expect.equal([reply.total, reply.total_relation], [101, "eq"], `total ${what}`);
      }
      const { cursor } = await caller.list({ field: "key.id", limit: 0 });
      expect.equal(cursor, undefined, "cursor of a list with limit 0");
    },
  }),
  hostTierCheck({
    id: "list/depth-cuts-namespaces",
    clauses: ["LIST-6"],
    features: ["list", "subtree"],
    async run({ caller, entry, expect, random }) {
      const [own, tags] = [caller.namespace, [random.hex(16)]];
      const path = (name: string) => (name === "" ? own : `${own}/${name}`);
      for (const [at, name] of ["", "a", "a/b", "a/b/c", "a/d", "ab"].entries()) {
        await caller.store(entry({ tags, occurred_at: at + 1 }), { namespace: path(name) });
      }
      const cut: Readonly<Record<number, [string, number, number][]>> = {
        1: [
          ["", 1, 1],
          ["a", 4, 5],
          ["ab", 1, 6],
        ],
        2: [
          ["", 1, 1],
          ["a", 1, 2],
          ["a/b", 2, 4],
          ["a/d", 1, 5],
          ["ab", 1, 6],
        ],
        8: [
          ["", 1, 1],
          ["a", 1, 2],
          ["a/b", 1, 3],
          ["a/b/c", 1, 4],
          ["a/d", 1, 5],
          ["ab", 1, 6],
        ],
      };
      for (const [depth, expected] of Object.entries(cut)) {
        const { items, total } = await caller.list({ namespace: path("**"), depth: Number(depth) });
        const what = `of a list to depth ${depth}`;
        const got = items.map(({ value, count, newest }) => [value, count, newest]);
        const whole = expected.map(([name, count, newest]) => [path(name), count, newest]);
        expect.sameMembers(got, whole, `namespaces, counts and newest ${what}`);
        expect.equal(total, expected.length, `total ${what}`);
      }
      const all = await caller.list({ namespace: "**", tags, depth: own.split("/").length });
      expect.equal(
        valueCounts(all),
        [[own, 6]],
        "namespaces of a list of ** to the depth of the check's namespace",
      );
    },
  }),
  hostTierCheck({
    id: "list/pages-hold-all-once",
    clauses: ["LIST-10", "LIST-8"],
    features: ["list"],
    async run(t) {
      const { caller, expect } = t;
      await storeGroups(t);
      for (const [order, expected] of Object.entries(ORDERS) as [keyof typeof ORDERS, readonly string[]][]) {
        for (const limit of [1, 3]) {
          const pages = await listPages(caller, { field: "group", order, limit });
          const what = `of a list by ${order} of 4 groups, with limit ${limit}`;
          expect.equal(pages.flatMap(values), expected, `values on all pages ${what}`);
          expect.equal(pages.length, Math.ceil(4 / limit), `number of pages ${what}`);
          expect.equal(
            pages.map(({ total }) => total),
            pages.map(() => 4),
            `totals on all pages ${what}`,
          );
        }
      }
      const first = await caller.list({ field: "group", limit: 1 });
      const rest = await caller.list({ field: "group", limit: 10, cursor: first.cursor! });
      expect.equal(values(rest), ["b", "c", "d"], "values after a cursor, with another limit");
    },
  }),
  hostTierCheck({
    id: "list/long-values-come-on-several-pages",
    clauses: ["LIST-10", "LIST-8"],
    features: ["list"],
    async run({ caller, entry, expect }) {
      const [count, batch] = [120, 40];
      const long = (at: number) => `${"字".repeat(4_000)}${at}`;
      for (let start = 0; start < count; start += batch) {
        const numbers = Array.from({ length: batch }, (_, at) => start + at);
        await caller.store(numbers.map((at) => entry({ key: { at }, metadata: { value: long(at) } })));
      }
      for (const order of ["name", "count"] as const) {
        const pages = await listPages(caller, { field: "metadata.value", order, limit: 1_000 });
        const what = `by ${order} of ${count} values that take 12 KB each and begin alike`;
        const ends = pages.flatMap(values).map((value) => Number(`${value}`.slice(4_000)));
        expect.sameMembers(
          ends,
          Array.from({ length: count }, (_, at) => at),
          `ends of the values on all pages of a list ${what}`,
        );
        const small = await caller.list({ field: "metadata.value", order, limit: 3 });
        const again = (await caller.list({ field: "metadata.value", order, limit: 3, cursor: small.cursor! }))
          .items;
        const both = [...values(small), ...again.map(({ value }) => value)];
        const six = pages.flatMap(values).slice(0, 6);
        expect.equal(both, six, `values of two pages of 3, against the first 6 of a list ${what}`);
      }
    },
  }),
  hostTierCheck({
    id: "list/cursor-of-another-list-is-refused",
    clauses: ["LIST-11"],
    features: ["list"],
    async run(t) {
      const { caller, expect } = t;
      await storeGroups(t);
      const request: ListInput = { field: "group", order: "count", limit: 1 };
      const { cursor } = await caller.list(request);
      expect.holds(typeof cursor === "string", "cursor of a page of 1 of 4 groups", cursor, "a string");
      const others: ListInput[] = [
        { field: "tags" },
        { field: undefined },
        { order: "newest" },
        { group: "a" },
        { since: 1 },
        { namespace: `${caller.namespace}/a` },
        { session_id: "another" },
      ];
      for (const other of others) {
        const what = `a list with ${JSON.stringify(other)}, otherwise equal to the list that returned the cursor`;
        const { detail } = await expect.refused(
          caller.list({ ...request, ...other, cursor }),
          "schema_violation",
          what,
        );
        expect.equal(detail.path, "cursor", `\`path\` in the error of ${what}`);
      }
      const { cursor: ofRetrieve } = await caller.retrieve({ limit: 1 });
      for (const wrong of ["x", "e30", cursor!.slice(0, 20), ofRetrieve!]) {
        const what = `a list with the unknown cursor ${wrong}`;
        await expect.refused(caller.list({ ...request, cursor: wrong }), "schema_violation", what);
      }
      expect.equal(
        values(await caller.list({ ...request, cursor })),
        ["a"],
        "values after that cursor afterwards",
      );
    },
  }),
  hostTierCheck({
    id: "list/cursor-gives-another-agent-nothing",
    clauses: ["LIST-11"],
    features: ["list"],
    tiers: ["working", "episodic"],
    async run({ caller, agent, entry, expect }) {
      const second = agent({ agent: "second" });
      await caller.store(["a", "c", "e"].map((group) => entry({ group })));
      await second.store(["b", "d"].map((group) => entry({ group })));
      const { cursor } = await caller.list({ field: "group", limit: 1 });
      const reply = await second.list({ field: "group", cursor }).catch(() => undefined);
      const foreign = (reply === undefined ? [] : values(reply)).filter(
        (value) => value !== "b" && value !== "d",
      );
      expect.equal(foreign, [], "values of other agents that an agent gets with the first agent's cursor");
      const rest = await caller.list({ field: "group", cursor });
      expect.equal(
        values(rest),
        ["c", "e"],
        "values that the first agent gets by the same cursor afterwards",
      );
    },
  }),
];
