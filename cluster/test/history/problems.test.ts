import { expect, it } from "vitest";
import type { Call, StoreCall } from "./call.js";
import { problemsOf } from "./problems.js";

type At = readonly [startMs: number, endMs?: number];

function at([startMs, endMs]: At) {
  return { key: "k", startMs, ...(endMs !== undefined && { endMs }) };
}

/** @param outcome undefined for a store without an answer. */
function store(when: At, value: number, revision?: number, outcome?: StoreCall["outcome"]): Call {
  const answer = revision === undefined ? {} : { revision };
  return { kind: "store", value, ...at(when), ...answer, ...(outcome !== undefined && { outcome }) };
}

const read = (when: At, value: number | null): Call => ({ kind: "read", value, ...at(when) });
const forget = (when: At, deleted?: number): Call =>
  ({ kind: "forget", ...at(when), ...(deleted !== undefined && { deleted }) }) as Call;

it.each<[string, readonly Call[]]>([
  ["nothing", []],
  [
    "an entry that is stored, read, replaced and forgotten",
    [
      read([0, 1], null),
      store([2, 3], 1, 10, "created"),
      read([4, 5], 1),
      store([6, 7], 2, 11, "updated"),
      forget([8, 9], 1),
      read([10, 11], null),
      store([12, 13], 3, 12, "created"),
    ],
  ],
  [
    "reads during a store that see it or not",
    [store([0, 9], 1, 10, "created"), read([1, 2], null), read([3, 4], 1)],
  ],
  [
    "stores at the same time, in the order of the reads",
    [store([0, 9], 1, 10, "updated"), store([0, 9], 2, 9, "created"), read([10, 11], 1)],
  ],
  ["a store without an answer that has an effect late", [store([0], 1), read([1, 2], null), read([3, 4], 1)]],
  [
    "a store that a forget at the same time supersedes",
    [forget([0, 5], 0), store([1, 6], 1, 10, "superseded"), read([7, 8], null)],
  ],
  ["a store without an answer that has no effect", [store([0], 1), read([1, 2], null)]],
  [
    "a forget without an answer that has an effect",
    [store([0, 1], 1, 10, "created"), forget([2]), read([3, 4], 1), read([5, 6], null)],
  ],
])("%s is no problem", (_name, calls) => {
  expect(problemsOf(calls)).toEqual([]);
});

it.each<[string, readonly Call[], string]>([
  ["a lost store", [store([0, 1], 1, 10, "created"), read([2, 3], null)], '"value":null'],
  [
    "a stale read",
    [store([0, 1], 1, 10, "created"), store([2, 3], 2, 11, "updated"), read([4, 5], 1)],
    '"kind":"read","value":1',
  ],
  [
    "a read that goes back",
    [store([0, 1], 1, 10, "created"), store([2, 9], 2, 11, "updated"), read([3, 4], 2), read([5, 6], 1)],
    '"kind":"read","value":1',
  ],
  [
    "a forgotten entry that returns",
    [store([0, 1], 1, 10, "created"), forget([2, 3], 1), read([4, 5], 1)],
    '"kind":"read","value":1',
  ],
  [
    "a forgotten entry that returns before a store",
    [store([0, 1], 1, 10, "created"), forget([2, 3], 1), store([4, 5], 2, 11, "updated")],
    '"value":2',
  ],
  [
    "a forget that finds nothing to delete",
    [store([0, 1], 1, 10, "created"), forget([2, 3], 0)],
    '"deleted":0',
  ],
  [
    "a store without an answer that has two effects",
    [store([0], 1), read([1, 2], 1), forget([3, 4], 1), read([5, 6], 1)],
    '"kind":"read","value":1',
  ],
  [
    "a store that nothing supersedes",
    [forget([0, 1], 0), store([2, 3], 1, 10, "superseded")],
    "no forget supersedes",
  ],
  [
    "a revision that does not grow",
    [store([0, 1], 1, 10, "created"), store([2, 3], 2, 10, "updated")],
    "a revision is not above 10",
  ],
])("%s is found", (_name, calls, problem) => {
  expect(problemsOf(calls)).toEqual([expect.stringContaining(problem)]);
});

it("a problem among thousands of calls is found", () => {
  const calls = Array.from({ length: 3_000 }, (_, index) =>
    store([3 * index, 3 * index + 4], index, index + 1, index === 0 ? "created" : "updated"),
  );
  calls.push(read([9_100, 9_101], 2_997));
  expect(problemsOf(calls)).toEqual([expect.stringContaining('"value":2997')]);
});
