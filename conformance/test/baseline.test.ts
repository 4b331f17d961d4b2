import { expect, it } from "vitest";
import { parseBaseline } from "../src/catalogue/baseline.js";

const IDS = ["store/created-then-updated", "retrieve/limit-is-upper-bound"];

it("has a line for each check, with the reason", () => {
  const yaml = "# known\nretrieve/limit-is-upper-bound: counts the page, fixed in 2.0\n";
  expect([...parseBaseline(yaml, IDS)]).toEqual([
    ["retrieve/limit-is-upper-bound", "counts the page, fixed in 2.0"],
  ]);
  expect(parseBaseline("", IDS).size).toBe(0);
});

it.each([
  ["retrieve/limit-is-uper-bound: why\n", /unknown check .*did you mean `retrieve\/limit-is-upper-bound`/],
  ["store/created-then-updated:\n", /`store\/created-then-updated` has no reason/],
  ["store/created-then-updated: ''\n", /has no reason/],
  ["store/created-then-updated: 5\n", /has no reason/],
  ["- store/created-then-updated\n", /must be lines of/],
  ["a: [\n", /^baseline: /],
  ["a: b\na: c\n", /unique/],
])("refuses %j", (yaml, message) => {
  expect(() => parseBaseline(yaml, IDS)).toThrow(message);
});

it("names everything that is wrong at once", () => {
  expect(() => parseBaseline("nonsense/x: y\nstore/created-then-updated:\n", IDS)).toThrow(
    /nonsense\/x.*; `store\/created-then-updated` has no reason/,
  );
});
