import { CHECKS, CLAUSES, levelOf } from "@membus/conformance";
import { MUTANTS } from "@membus/mutants";
import { expect, it } from "vitest";
import { clauseReport } from "../src/clause-report.js";

it("has a mutant for every MUST clause that a check tests", () => {
  const report = clauseReport(MUTANTS);
  expect(report.filter(({ killed }) => killed.length === 0).map(({ id }) => id)).toEqual([]);
  expect(report.length).toBeGreaterThan([...CLAUSES.values()].length / 2);
});

it("has a mutant for every MUST check", () => {
  const tried = new Set(MUTANTS.map(({ check }) => check));
  const must = CHECKS.filter(({ clauses }) => levelOf(clauses) === "MUST");
  expect(must.filter(({ id }) => !tried.has(id)).map(({ id }) => id)).toEqual([]);
});

it("has mutants with unique ids and existing checks", () => {
  const ids = MUTANTS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const checks = new Set(CHECKS.map(({ id }) => id));
  expect(MUTANTS.filter(({ check }) => !checks.has(check)).map(({ id }) => id)).toEqual([]);
});
