import type { Criteria } from "@membus/protocol";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import { listPages, valueCounts } from "../../../fixtures/listed.js";
import type { EntryInput } from "../../../memory-agent.js";

/** Values that faulty code treats as equal, as empty, or as another type. */
const LOOKALIKES = [
  ...[
    "a",
    "A",
    "a ",
    " a",
    "ä",
    "a\u0308",
    "a/b",
    "a/b/",
    "/",
    "**",
    "",
    "0",
    "1",
    "true",
    "null",
    "[]",
    "~a",
  ],
  ...['"', "\\", "a\nb", "__proto__", "constructor", "日本", "🙂", "x".repeat(256), "x".repeat(4_096)],
  ...[`${"x".repeat(4_095)}y`, 0, 1, -1, 1.5, 2 ** 53 - 1, true, false],
];

const FRUIT: readonly Partial<EntryInput>[] = [
  {
    tags: ["red", "round", "red"],
    group: "g1",
    source: "shop",
    metadata: { kind: "apple", sizes: ["s", "m"] },
  },
  { tags: ["red"], group: "g1", source: "tree", metadata: { kind: "cherry", sizes: ["s", "s"] } },
  { tags: [], group: "g2", source: "tree", metadata: { kind: "apple", sizes: [] } },
  { tags: ["long"], source: "tree" },
];
const VALUES: Readonly<Record<string, readonly [unknown, number][]>> = {
  tags: [
    ["long", 1],
    ["red", 2],
    ["round", 1],
  ],
  group: [
    ["g1", 2],
    ["g2", 1],
  ],
  source: [
    ["shop", 1],
    ["tree", 3],
  ],
  "metadata.kind": [
    ["apple", 2],
    ["cherry", 1],
  ],
  "metadata.sizes": [
    ["m", 1],
    ["s", 2],
  ],
  "metadata.none": [],
  "key.id": [
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 1],
  ],
};

/** Keys of several types. */
const KEYS: readonly EntryInput["key"][] = [
  { x: ["a", 1, { a: "b" }, ["c"], "d", "a", null, true] },
  { x: { a: "b" }, y: 1 },
  { x: null, y: 1 },
  { x: [], y: 1 },
  { x: ["d"] },
  { x: "a" },
  { x: 1 },
  { x: "1" },
  { y: "a" },
];

/** Criteria, and the tag counts of the matching fruit entries. */
const CRITERIA: readonly [Criteria, [string, number][]][] = [
  [
    { keys: [{ id: 0 }, { id: 3 }] },
    [
      ["long", 1],
      ["red", 1],
      ["round", 1],
    ],
  ],
  [{ match: { id: 1 } }, [["red", 1]]],
  [
    { tags: ["round", "long"] },
    [
      ["long", 1],
      ["red", 1],
      ["round", 1],
    ],
  ],
  [
    { tags: ["round", "red"], tags_mode: "all" },
    [
      ["red", 1],
      ["round", 1],
    ],
  ],
  [
    { group: "g1" },
    [
      ["red", 2],
      ["round", 1],
    ],
  ],
  [{ since: 1_001, until: 1_003 }, [["red", 1]]],
  [{ where: { field: "metadata.kind", op: "exists", value: false } }, [["long", 1]]],
  [
    { where: { not: { field: "source", op: "eq", value: "tree" } } },
    [
      ["red", 1],
      ["round", 1],
    ],
  ],
  [{ group: "g3" }, []],
];

async function storeFruit({ caller, entry }: MemoryContext): Promise<void> {
  const entries = FRUIT.map((fields, id) => entry({ key: { id }, occurred_at: 1_000 + id, ...fields }));
  await caller.store(entries);
}

export const listValueChecks: readonly Check[] = [
  memoryCheck({
    id: "list/each-value-with-its-count",
    clauses: ["LIST-1", "LIST-2", "LIST-3", "PLUG-20"],
    features: ["list"],
    async run(t) {
      const { caller, expect } = t;
      await storeFruit(t);
      const authors = valueCounts(await caller.list({ field: "author" }));
      expect.equal(
        authors,
        [[caller.agent, 4]],
        "values and counts of a list of author, of 4 entries of one agent",
      );
      for (const [field, expected] of Object.entries(VALUES)) {
        const reply = await caller.list({ field });
        const what = `of a list of ${field}, of 4 entries with it, with several of it, or without`;
        expect.equal(valueCounts(reply), expected, `values and counts ${what}`);
        expect.equal([reply.total, reply.total_relation], [expected.length, "eq"], `total ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "list/what-is-no-value-does-not-count",
    clauses: ["LIST-2"],
    features: ["list"],
    async run({ caller, entry, expect }) {
      await caller.store(KEYS.map((key) => entry({ key })));
      const listed = valueCounts(await caller.list({ field: "key.x" }));
      const expected = [
        [1, 1],
        ["1", 1],
        ["a", 2],
        ["d", 2],
      ];
      expect.equal(listed, expected, "values and counts of a list of a key field that holds anything");
    },
  }),
  memoryCheck({
    id: "list/values-are-told-apart",
    clauses: ["LIST-2"],
    features: ["list"],
    async run({ caller, entry, expect }) {
      await caller.store(LOOKALIKES.map((value, id) => entry({ key: { id }, metadata: { value } })));
      const { items, total } = await caller.list({ field: "metadata.value", limit: 1_000 });
      const what = `of a list of ${LOOKALIKES.length} similar values, each of one entry`;
      const values = items.map(({ value }) => value);
      expect.sameMembers(values, LOOKALIKES, `values ${what}`);
      expect.sameMembers(
        items.map(({ count }) => count),
        LOOKALIKES.map(() => 1),
        `counts ${what}`,
      );
      expect.equal(total, LOOKALIKES.length, `total ${what}`);
    },
  }),
  memoryCheck({
    id: "list/newest-and-bytes-of-the-entries",
    clauses: ["LIST-4", "LIST-5", "PLUG-20"],
    features: ["list"],
    async run({ caller, entry, expect }) {
      const times = [5_000.5, 9_000.25, 7_000];
      const made = times.map((occurred_at, id) => {
        const content = { text: "ö".repeat(100 * (id + 1)) };
        return entry({
          key: { id },
          occurred_at,
          content,
          context: "next to it",
          group: id === 2 ? "b" : "a",
        });
      });
      await caller.store(made);
      const { items } = await caller.list({ field: "group" });
      const newest = items.map(({ value, newest }) => [value, newest]);
      expect.equal(
        newest,
        [
          ["a", 9_000.25],
          ["b", 7_000],
        ],
        "`newest` of a list of two groups",
      );
      for (const { value, bytes } of items) {
        const { entries } = await caller.retrieve({ group: `${value}`, include: ["context"] });
        const sizeOf = (values: readonly unknown[]) =>
          values.reduce((sum: number, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
        const what = `\`bytes\` of the group ${value}, compared with`;
        expect.atLeast(bytes, sizeOf(entries.map(({ content }) => content)), `${what} its contents`);
        expect.atMost(bytes, sizeOf(entries), `${what} its entries with their context`);
      }
    },
  }),
  memoryCheck({
    id: "list/follows-updates-and-forgets",
    clauses: ["LIST-3", "STORE-13"],
    features: ["list"],
    async run({ caller, entry, expect }) {
      const tagged = (id: number, ...tags: string[]) => entry({ key: { id }, tags, occurred_at: id });
      const tagsNow = async () => valueCounts(await caller.list({ field: "tags" }));
      await caller.store([tagged(1, "a", "b"), tagged(2, "a"), tagged(3, "c")]);
      expect.equal(
        await tagsNow(),
        [
          ["a", 2],
          ["b", 1],
          ["c", 1],
        ],
        "tags after a store of 3 entries",
      );
      await caller.store([tagged(1, "b", "d"), tagged(3)]);
      expect.equal(
        await tagsNow(),
        [
          ["a", 1],
          ["b", 1],
          ["d", 1],
        ],
        "tags after an update of 2 of these",
      );
      await caller.store(tagged(1, "b", "d"));
      expect.equal(
        await tagsNow(),
        [
          ["a", 1],
          ["b", 1],
          ["d", 1],
        ],
        "tags after a store that changes nothing",
      );
      await caller.forget({ keys: [{ id: 2 }] });
      expect.equal(
        await tagsNow(),
        [
          ["b", 1],
          ["d", 1],
        ],
        "tags after a forget of the only entry with one of them",
      );
      await caller.store(tagged(2, "a"));
      expect.equal(
        await tagsNow(),
        [
          ["a", 1],
          ["b", 1],
          ["d", 1],
        ],
        "tags after a store of the forgotten key",
      );
      const { items } = await caller.list({ field: "tags", match: { id: 1 } });
      expect.equal(
        items.map(({ newest }) => newest),
        [1, 1],
        "`newest` of the tags of an updated entry",
      );
    },
  }),
  memoryCheck({
    id: "list/expired-never-count",
    clauses: ["LIST-3"],
    features: ["list", "ttl"],
    async run({ caller, entry, expect, passTime }) {
      await caller.store([
        entry({ tags: ["short"], ttl: 1 }),
        entry({ tags: ["short", "both"], ttl: 3_600 }),
        entry({ tags: ["gone"], ttl: 1 }),
      ]);
      await passTime(2);
      const tags = valueCounts(await caller.list({ field: "tags" }));
      expect.equal(
        tags,
        [
          ["both", 1],
          ["short", 1],
        ],
        "tags 2 s after stores with a ttl of 1 s and of an hour",
      );
      const spaces = valueCounts(await caller.list());
      expect.equal(spaces, [[caller.namespace, 1]], "namespaces after 2 of the 3 entries there have expired");
    },
  }),
  memoryCheck({
    id: "list/criteria-select",
    clauses: ["LIST-1", "CRIT-1", "PLUG-8"],
    features: ["list"],
    async run(t) {
      await storeFruit(t);
      for (const [criteria, expected] of CRITERIA) {
        const what = `with ${JSON.stringify(criteria)}`;
        const tags = valueCounts(await t.caller.list({ ...criteria, field: "tags" }));
        t.expect.equal(tags, expected, `values and counts of a list of tags ${what}`);
        const { total } = await t.caller.retrieve(criteria);
        const spaces = valueCounts(await t.caller.list(criteria));
        const there = total === 0 ? [] : [[t.caller.namespace, total]];
        t.expect.equal(spaces, there, `namespaces and counts of a list ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "list/thousands-are-counted",
    clauses: ["LIST-3", "LIST-9"],
    features: ["list"],
    async run({ caller, entry, expect }) {
      const [entryCount, valueCount, batch] = [3_000, 1_500, 300];
      const starts = Array.from({ length: entryCount / batch }, (_, at) => at * batch);
      await inBatches(starts, (start) =>
        caller.store(
          Array.from({ length: batch }, (_, at) => {
            const number = start + at;
            return entry({
              key: { number },
              tags: [number % 3 === 0 ? "third" : "other"],
              group: `g${number % valueCount}`,
            });
          }),
        ),
      );
      const what = `of ${entryCount} entries in ${valueCount} groups`;
      const pages = await listPages(caller, { field: "group", limit: 1_000 });
      expect.equal(pages[0]!.total, valueCount, `total of a list ${what}`);
      const counts = pages.flatMap(valueCounts);
      const expected = Array.from({ length: valueCount }, (_, at) => [`g${at}`, 2]);
      expect.sameMembers(counts, expected, `groups and counts on all pages of a list ${what}`);
      const tags = valueCounts(await caller.list({ field: "tags" }));
      expect.equal(
        tags,
        [
          ["other", 2_000],
          ["third", 1_000],
        ],
        `tags and counts of a list ${what}`,
      );
    },
  }),
];
