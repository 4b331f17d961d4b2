import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Filter, type FilterableEntry, type Json, matches } from "../src/index.js";
import { field, filterableEntry, value } from "./arbitraries.js";

const ENTRY: FilterableEntry = {
  key: { id: "fact1", n: 7, list: ["a", 2], nested: { b: 1, a: null } },
  key_hash: "c0ffee",
  tags: ["drink", "morning"],
  source: "observer",
  author: "alice",
  importance: 0.75,
  occurred_at: 1000,
  timestamps: { created: 2000, updated: 3000 },
  metadata: { lang: "en", turn: 14, sure: true, names: ["Alice", "Al"], empty: "" },
};

const holds = (name: string, op: string, value: Json) => matches(ENTRY, { field: name, op, value } as Filter);

describe("operators", () => {
  it.each<[string, string, Json, boolean]>([
    ["metadata.lang", "eq", "en", true],
    ["metadata.lang", "eq", "EN", false],
    ["metadata.turn", "eq", 14, true],
    ["metadata.sure", "eq", true, true],
    ["metadata.empty", "eq", "", true],
    ["metadata.lang", "ne", "de", true],
    ["metadata.lang", "ne", "en", false],
    ["metadata.lang", "in", ["de", "en"], true],
    ["metadata.lang", "in", [], false],
    ["metadata.lang", "nin", ["de"], true],
    ["metadata.lang", "nin", ["en"], false],
    ["metadata.turn", "gt", 13, true],
    ["metadata.turn", "gt", 14, false],
    ["metadata.turn", "gte", 14, true],
    ["metadata.turn", "lt", 14, false],
    ["metadata.turn", "lte", 14, true],
    ["metadata.lang", "gt", "em", true],
    ["metadata.lang", "lt", "\ud83e\udd8a", true],
    ["metadata.lang", "exists", true, true],
    ["metadata.lang", "exists", false, false],
    ["metadata.lang", "contains", "n", true],
    ["metadata.lang", "contains", "", true],
    ["metadata.lang", "starts_with", "e", true],
    ["metadata.lang", "starts_with", "n", false],
  ])("%s %s %j is %s", (name, op, value, expected) => expect(holds(name, op, value)).toBe(expected));

  it.each<[string, string, Json]>([
    ["metadata.turn", "eq", "14"],
    ["metadata.turn", "gt", "1"],
    ["metadata.lang", "gt", 1],
    ["metadata.lang", "lte", 1],
    ["metadata.sure", "eq", 1],
    ["metadata.sure", "gte", true],
    ["metadata.turn", "contains", 1],
    ["metadata.turn", "starts_with", "1"],
    ["key.nested", "eq", "a"],
  ])("never matches values of different types: %s %s %j", (name, op, value) => {
    expect(holds(name, op, value)).toBe(false);
  });

  it("orders strings by UTF-16 code units, not by code points", () => {
    const entry = { ...ENTRY, metadata: { a: "\ufb33" } };
    expect(matches(entry, { field: "metadata.a", op: "gt", value: "\u{1f600}" })).toBe(true);
  });
});

describe("missing fields", () => {
  it.each<[string, Json, boolean]>([
    ["eq", "a", false],
    ["in", ["a"], false],
    ["gt", 0, false],
    ["gte", 0, false],
    ["lt", 0, false],
    ["lte", 0, false],
    ["contains", "", false],
    ["starts_with", "", false],
    ["exists", true, false],
    ["exists", false, true],
    ["ne", "a", true],
    ["nin", ["a"], true],
  ])("%s %j is %s", (op, value, expected) => {
    for (const name of ["metadata.none", "key.none", "group", "expires_at"]) {
      expect(holds(name, op, value), name).toBe(expected);
    }
  });

  it("are not read from the prototype", () => {
    expect(holds("metadata.constructor", "exists", true)).toBe(false);
    expect(holds("key.toString", "exists", true)).toBe(false);
  });

  it("match not", () => {
    expect(matches(ENTRY, { not: { field: "group", op: "eq", value: "g" } })).toBe(true);
  });
});

describe("lists", () => {
  it.each<[string, string, Json, boolean]>([
    ["tags", "eq", "drink", true],
    ["tags", "eq", "dri", false],
    ["tags", "ne", "drink", false],
    ["tags", "ne", "food", true],
    ["tags", "in", ["food", "morning"], true],
    ["tags", "nin", ["food", "morning"], false],
    ["tags", "contains", "orn", true],
    ["tags", "contains", "xyz", false],
    ["tags", "starts_with", "morn", true],
    ["tags", "starts_with", "orn", false],
    ["tags", "gt", "a", false],
    ["tags", "lte", "z", false],
    ["tags", "exists", true, true],
    ["metadata.names", "eq", "Al", true],
    ["key.list", "eq", 2, true],
    ["key.list", "in", [2], true],
    ["key.list", "in", ["2"], false],
    ["key.list", "nin", [2], false],
  ])("%s %s %j is %s", (name, op, value, expected) => expect(holds(name, op, value)).toBe(expected));

  it("are present if empty, and equal nothing", () => {
    const entry = { ...ENTRY, tags: [] };
    expect(matches(entry, { field: "tags", op: "exists", value: true })).toBe(true);
    expect(matches(entry, { field: "tags", op: "starts_with", value: "" })).toBe(false);
    expect(matches(entry, { field: "tags", op: "ne", value: "a" })).toBe(true);
  });
});

describe("fields and trees", () => {
  it.each<[string, Json]>([
    ["source", "observer"],
    ["author", "alice"],
    ["importance", 0.75],
    ["occurred_at", 1000],
    ["created", 2000],
    ["updated", 3000],
    ["key.id", "fact1"],
    ["key_hash", "c0ffee"],
  ])("%s is %j", (name, value) => expect(holds(name, "eq", value)).toBe(true));

  it("compares objects in keys by canonical JSON", () => {
    expect(holds("key.nested", "eq", { a: null, b: 1 })).toBe(true);
    expect(holds("key.nested", "eq", { a: null, b: 2 })).toBe(false);
    expect(holds("key.list", "eq", ["a", 2])).toBe(true);
    expect(holds("key.list", "eq", [2, "a"])).toBe(false);
  });

  it("matches an empty all, but not an empty any", () => {
    expect(matches(ENTRY, { all: [] })).toBe(true);
    expect(matches(ENTRY, { any: [] })).toBe(false);
  });

  it("nests all, any and not", () => {
    const en: Filter = { field: "metadata.lang", op: "eq", value: "en" };
    const late: Filter = { field: "metadata.turn", op: "gt", value: 100 };
    expect(matches(ENTRY, { all: [en, { not: late }] })).toBe(true);
    expect(matches(ENTRY, { all: [en, late] })).toBe(false);
    expect(matches(ENTRY, { any: [late, { all: [en] }] })).toBe(true);
  });
});

describe("duality", () => {
  const leaf = (name: string, op: string, expected: Json) => ({ field: name, op, value: expected }) as Filter;

  it.each([
    ["ne", "eq"],
    ["nin", "in"],
  ])("%s is the negation of %s, for every field and value", (negated, op) => {
    const operand = op === "in" ? fc.array(value, { maxLength: 3 }) : value;
    fc.assert(
      fc.property(filterableEntry, field, operand, (entry, name, expected) => {
        const positive = matches(entry, leaf(name, op, expected));
        expect(matches(entry, leaf(name, negated, expected))).toBe(!positive);
        expect(matches(entry, { not: leaf(name, op, expected) })).toBe(!positive);
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it("exists false negates exists true, and comparisons match only existing fields", () => {
    fc.assert(
      fc.property(filterableEntry, field, value, (entry, name, expected) => {
        const exists = matches(entry, leaf(name, "exists", true));
        expect(matches(entry, leaf(name, "exists", false))).toBe(!exists);
        const compared = ["eq", "gt", "gte", "lt", "lte", "contains", "starts_with"].some((op) =>
          matches(entry, leaf(name, op, expected)),
        );
        if (compared) expect(exists).toBe(true);
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it("any is the negation of all with negated children", () => {
    fc.assert(
      fc.property(filterableEntry, fc.array(fc.tuple(field, value), { maxLength: 4 }), (entry, pairs) => {
        const leaves = pairs.map(([name, expected]) => leaf(name, "eq", expected));
        const any = matches(entry, { any: leaves });
        expect(any).toBe(!matches(entry, { all: leaves.map((inner): Filter => ({ not: inner })) }));
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});
