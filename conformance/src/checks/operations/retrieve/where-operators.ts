import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import type { EntryInput, MemoryAgent } from "../../../memory-agent.js";

type Value = NonNullable<EntryInput["metadata"]>[string];
type Values = Readonly<Record<string, Value>>;

/**
 * Returns entries with these values in the metadata field `v`, by id. The entry "missing" has no such field.
 */
function entriesWith(values: Values, entry: (fields: Partial<EntryInput>) => EntryInput): EntryInput[] {
  const present = Object.entries(values).map(([id, v]) => entry({ key: { id }, metadata: { v } }));
  return [...present, entry({ key: { id: "missing" }, metadata: { other: "x" } })];
}

/** Returns the ids of the entries for which the operator holds on the metadata field `v`. */
async function holding(caller: MemoryAgent, op: string, value: unknown): Promise<unknown[]> {
  return foundIds(await caller.retrieve({ where: { field: "metadata.v", op, value } as never, limit: 100 }));
}

export const whereOperatorChecks: readonly Check[] = [
  memoryCheck({
    id: "where/equal-values-have-one-type",
    clauses: ["CRIT-7"],
    async run({ caller, entry, expect }) {
      const values = {
        one: 1,
        text: "1",
        yes: true,
        word: "true",
        zero: 0,
        no: false,
        nought: "0",
        list: ["1"],
      };
      await caller.store(entriesWith(values, entry));
      const expected: [unknown, string[]][] = [
        [1, ["one"]],
        ["1", ["text", "list"]],
        [true, ["yes"]],
        ["true", ["word"]],
        [0, ["zero"]],
        [false, ["no"]],
      ];
      for (const [value, ids] of expected) {
        const what = `${JSON.stringify(value)}, where the values by id are ${JSON.stringify(values)}`;
        expect.sameMembers(await holding(caller, "eq", value), ids, `ids for eq ${what}`);
        expect.sameMembers(await holding(caller, "in", [value, "none"]), ids, `ids for in with ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "where/order-of-different-types-is-false",
    clauses: ["CRIT-7"],
    async run({ caller, entry, expect }) {
      const values = { five: 5, text: "5", word: "a", yes: true, list: ["7"] };
      await caller.store(entriesWith(values, entry));
      const expected: [string, unknown, string[]][] = [
        ["gt", 3, ["five"]],
        ["gte", 0, ["five"]],
        ["lt", 9, ["five"]],
        ["lte", 1, []],
        ["gt", "3", ["text", "word"]],
        ["lt", "9", ["text"]],
        ["gte", "", ["text", "word"]],
      ];
      for (const [op, value, ids] of expected) {
        const what = `${op} ${JSON.stringify(value)}, where the values by id are ${JSON.stringify(values)}`;
        expect.sameMembers(await holding(caller, op, value), ids, `ids for ${what}`);
      }
      const time = await caller.retrieve({ where: { field: "created", op: "gt", value: "0" } });
      expect.equal(
        time.total,
        0,
        'total for `created` gt the string "0", which compares a time with a string',
      );
    },
  }),
  memoryCheck({
    id: "where/missing-field-meets-negations-alone",
    clauses: ["CRIT-8"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ key: { id: "has", of: "x" }, metadata: { of: "x" }, group: "x" }),
        entry({ key: { id: "lacks" } }),
      ]);
      const expected: [string, unknown, string[]][] = [
        ["eq", "x", ["has"]],
        ["in", ["x", "y"], ["has"]],
        ["contains", "", ["has"]],
        ["starts_with", "x", ["has"]],
        ["gte", "a", ["has"]],
        ["lte", "z", ["has"]],
        ["ne", "x", ["lacks"]],
        ["ne", "other", ["has", "lacks"]],
        ["nin", ["x", "y"], ["lacks"]],
        ["exists", true, ["has"]],
        ["exists", false, ["lacks"]],
      ];
      for (const field of ["metadata.of", "key.of", "group"]) {
        for (const [op, value, ids] of expected) {
          const where = { field, op, value } as never;
          const what = `${JSON.stringify(where)}, of an entry with the value "x" in that field and one without the field`;
          expect.sameMembers(foundIds(await caller.retrieve({ where })), ids, `ids for ${what}`);
        }
        const negated = await caller.retrieve({ where: { not: { field, op: "eq", value: "x" } } });
        expect.equal(
          foundIds(negated),
          ["lacks"],
          `ids for not (${field} eq "x"), of one entry with the value and one without the field`,
        );
      }
    },
  }),
  memoryCheck({
    id: "where/list-meets-by-any-element",
    clauses: ["CRIT-9"],
    async run({ caller, entry, expect }) {
      const values = {
        two: ["apple", "pear"],
        joined: ["apple,pear"],
        one: ["pear"],
        none: [],
        text: "apple",
      };
      await caller.store(entriesWith(values, entry));
      const expected: [string, unknown, string[]][] = [
        ["eq", "apple", ["two", "text"]],
        ["eq", "pear", ["two", "one"]],
        ["eq", "apple,pear", ["joined"]],
        ["in", ["fig", "pear"], ["two", "one"]],
        ["contains", "ear", ["two", "joined", "one"]],
        ["contains", "apple,p", ["joined"]],
        ["starts_with", "pe", ["two", "one"]],
        ["starts_with", "app", ["two", "joined", "text"]],
        ["exists", true, ["two", "joined", "one", "none", "text"]],
      ];
      for (const [op, value, ids] of expected) {
        const what = `${op} ${JSON.stringify(value)}, where the values by id are ${JSON.stringify(values)}`;
        expect.sameMembers(await holding(caller, op, value), ids, `ids for ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "where/list-in-a-list-is-no-element",
    clauses: ["CRIT-9", "PLUG-8"],
    async run({ caller, entry, expect }) {
      const lists = { nested: ["a", ["b", "c"]], flat: ["a", "b"], deep: [["b"], [["b"]]] };
      await caller.store(Object.entries(lists).map(([id, v]) => entry({ key: { id, v } })));
      for (const [op, value] of [
        ["eq", "b"],
        ["in", ["b", "x"]],
        ["contains", "b"],
        ["starts_with", "b"],
      ]) {
        const where = { field: "key.v", op, value } as never;
        const what = `key.v ${op} ${JSON.stringify(value)}, with ${JSON.stringify(lists)}: an element that is a list is not a string`;
        expect.equal(foundIds(await caller.retrieve({ where })), ["flat"], `ids for ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "where/list-meets-no-order",
    clauses: ["CRIT-9"],
    async run({ caller, entry, expect }) {
      const values = { list: ["b", "c"], one: ["b"], text: "b", none: [] };
      await caller.store(entriesWith(values, entry));
      for (const [op, value] of [
        ["gt", "a"],
        ["gte", "b"],
        ["lt", "z"],
        ["lte", "b"],
      ]) {
        const what = `${op} "${value}", where the values by id are ${JSON.stringify(values)}`;
        expect.equal(await holding(caller, op!, value), ["text"], `ids for ${what}`);
      }
      await caller.store(entry({ key: { id: "tagged" }, tags: ["b"] }));
      const byTags = await caller.retrieve({ where: { field: "tags", op: "gte", value: "a" } });
      expect.equal(foundIds(byTags), [], 'ids for `tags` gte "a", which are lists');
    },
  }),
  memoryCheck({
    id: "where/ne-and-nin-negate",
    clauses: ["CRIT-10"],
    async run({ caller, entry, expect }) {
      const values = { x: "x", y: "y", number: 1, text: "1", list: ["w", "x"], others: ["v"], none: [] };
      await caller.store(entriesWith(values, entry));
      const expected: [string, unknown, string[]][] = [
        ["ne", "x", ["y", "number", "text", "others", "none", "missing"]],
        ["ne", 1, ["x", "y", "text", "list", "others", "none", "missing"]],
        ["nin", ["x", "y"], ["number", "text", "others", "none", "missing"]],
        ["nin", [1, "v"], ["x", "y", "text", "list", "none", "missing"]],
      ];
      for (const [op, value, ids] of expected) {
        const shown = `the values by id are ${JSON.stringify(values)} and one is missing`;
        expect.sameMembers(
          await holding(caller, op, value),
          ids,
          `ids for ${op} ${JSON.stringify(value)}, where ${shown}`,
        );
      }
    },
  }),
  memoryCheck({
    id: "where/contains-and-starts-with-are-literal",
    clauses: ["CRIT-11"],
    async run({ caller, entry, expect }) {
      const texts = [
        "100% sure",
        "100 x sure",
        "a_b",
        "axb",
        "a.c",
        "abc",
        "Zebra",
        "zebra",
        "it's",
        "c:\\dir",
        "*",
      ];
      const values = { ...Object.fromEntries(texts.map((text) => [text, text])), number: 100 };
      await caller.store(entriesWith(values, entry));
      const expected: [string, string, string[]][] = [
        ["contains", "0% s", ["100% sure"]],
        ["contains", "a_b", ["a_b"]],
        ["contains", "a.c", ["a.c"]],
        ["contains", "bra", ["Zebra", "zebra"]],
        ["contains", "Zeb", ["Zebra"]],
        ["contains", "'", ["it's"]],
        ["contains", "\\", ["c:\\dir"]],
        ["contains", "*", ["*"]],
        ["contains", "100", ["100% sure", "100 x sure"]],
        ["starts_with", "ze", ["zebra"]],
        ["starts_with", "ebra", []],
        ["starts_with", "a_", ["a_b"]],
        ["starts_with", "100%", ["100% sure"]],
      ];
      for (const [op, value, ids] of expected) {
        const what = `${op} ${JSON.stringify(value)}, where the values are ${JSON.stringify(texts)} and the number 100`;
        expect.sameMembers(await holding(caller, op, value), ids, `ids for ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "where/numbers-by-value",
    clauses: ["CRIT-12"],
    async run({ caller, entry, expect }) {
      const numbers = [-10, -9.5, 0, 9, 10, 10.25, 1_000];
      const values = Object.fromEntries(numbers.map((number) => [`is ${number}`, number]));
      await caller.store(entriesWith(values, entry));
      const is = (...members: number[]) => members.map((number) => `is ${number}`);
      const expected: [string, number, string[]][] = [
        ["gt", 9, is(10, 10.25, 1_000)],
        ["gte", 10, is(10, 10.25, 1_000)],
        ["lt", 10, is(-10, -9.5, 0, 9)],
        ["lte", 0, is(-10, -9.5, 0)],
        ["gt", 10, is(10.25, 1_000)],
        ["lt", -9.5, is(-10)],
        ["gte", 1_000.5, []],
      ];
      for (const [op, value, ids] of expected) {
        expect.sameMembers(
          await holding(caller, op, value),
          ids,
          `ids for ${op} ${value} of the numbers ${numbers}`,
        );
      }
    },
  }),
  memoryCheck({
    id: "where/strings-by-code-units",
    clauses: ["CRIT-12"],
    async run({ caller, entry, expect }) {
      const values = {
        Z: "Z",
        a: "a",
        ten: "10",
        nine: "9",
        accent: "é",
        tilde: "\uff5e",
        face: "\u{1f600}",
      };
      await caller.store(entriesWith(values, entry));
      const expected: [string, string, string[]][] = [
        ["lt", "9", ["ten"]],
        ["lte", "9", ["ten", "nine"]],
        ["lt", "a", ["ten", "nine", "Z"]],
        ["gt", "a", ["accent", "tilde", "face"]],
        ["gte", "a", ["a", "accent", "tilde", "face"]],
        ["lt", "\uff5e", ["ten", "nine", "Z", "a", "accent", "face"]],
        ["gt", "\u{1f600}", ["tilde"]],
      ];
      for (const [op, value, ids] of expected) {
        const what = `${op} "${value}", by UTF-16 code units, where the strings are ${JSON.stringify(Object.values(values))}`;
        expect.sameMembers(await holding(caller, op, value), ids, `ids for ${what}`);
      }
    },
  }),
];
