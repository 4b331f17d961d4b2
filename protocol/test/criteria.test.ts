import { describe, expect, it } from "vitest";
import {
  compileCriteria,
  type DecodedRequest,
  type FilterableEntry,
  isUnfiltered,
  matches,
  parseRequest,
} from "../src/index.js";

type Retrieve = Extract<DecodedRequest, { type: "memory/retrieve/req" }>;

const criteria = (fields: object) => parseRequest({ type: "memory/retrieve/req", ...fields }) as Retrieve;

const FACT1 = "24c1fab73ad66f9f3f8e87d6743cbaa54b79cc14df5eb6c723ef73fa2f2e72b1";

const ENTRY: FilterableEntry = {
  key: { id: "fact1" },
  key_hash: FACT1,
  tags: ["a", "b"],
  source: "s",
  author: "s",
  group: "g",
  importance: 1,
  occurred_at: 1000,
  timestamps: { created: 1, updated: 1 },
};

const selects = (fields: object) => matches(ENTRY, compileCriteria(criteria(fields)));

describe("criteria", () => {
  it.each<[object, boolean]>([
    [{}, true],
    [{ keys: [{ id: "fact1" }] }, true],
    [{ keys: ["other", { $hash: FACT1 }] }, true],
    [{ keys: ["other"] }, false],
    [{ match: { id: "fact1" } }, true],
    [{ match: { id: "fact2" } }, false],
    [{ match: { id: "fact1", kind: "x" } }, false],
    [{ tags: ["b", "c"] }, true],
    [{ tags: ["c"] }, false],
    [{ tags: ["b", "c"], tags_mode: "all" }, false],
    [{ tags: ["b", "a"], tags_mode: "all" }, true],
    [{ tags_mode: "all" }, true],
    [{ group: "g" }, true],
    [{ group: "h" }, false],
    [{ since: 1000 }, true],
    [{ since: 1000.5 }, false],
    [{ since: 0, until: 1000 }, false],
    [{ until: 1000.5 }, true],
    [{ where: { field: "author", op: "eq", value: "s" } }, true],
    [{ tags: ["a"], group: "h" }, false],
    [{ tier: "semantic", namespace: "x/**" }, true],
  ])("%j: %s", (fields, expected) => expect(selects(fields)).toBe(expected));

  it("compile to one tree", () => {
    expect(
      compileCriteria(
        criteria({ tags: ["a"], since: 5, where: { not: { field: "group", op: "exists", value: true } } }),
      ),
    ).toEqual({
      all: [
        { field: "tags", op: "in", value: ["a"] },
        { field: "occurred_at", op: "gte", value: 5 },
        { not: { field: "group", op: "exists", value: true } },
      ],
    });
  });

  it("that only select partitions compile to an empty filter", () => {
    expect(isUnfiltered(criteria({ tier: "working", tags_mode: "all", namespace: "n" }))).toBe(true);
    expect(isUnfiltered(criteria({ since: 0 }))).toBe(false);
  });
});
