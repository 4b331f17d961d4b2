import { expect, it } from "vitest";
import { MUTANTS } from "../mutants/index.js";
import { mustChecksWithout } from "../mutants/mutant-report.js";
import { readSnapshot } from "../mutants/snapshot.js";
import { CHECKS } from "../src/index.js";

it("has a mutant for every MUST check", () => {
  expect(mustChecksWithout(new Set(MUTANTS.map(({ check }) => check)))).toEqual([]);
});

it("has at least 60 mutants, each with an id of its own, for a check that there is", () => {
  const ids = MUTANTS.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(60);
  expect(new Set(ids).size).toBe(ids.length);
  const checks = new Set(CHECKS.map(({ id }) => id));
  expect(MUTANTS.filter(({ check }) => !checks.has(check)).map(({ id }) => id)).toEqual([]);
});

it("pins what turns red for exactly the mutants that there are", () => {
  expect(Object.keys(readSnapshot())).toEqual(MUTANTS.map(({ id }) => id).sort());
});
