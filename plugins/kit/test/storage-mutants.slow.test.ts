import { describe, expect, it } from "vitest";
import { failureOf, registered, SOUND } from "./storage-mutants/failure-of.js";
import { MUTANTS } from "./storage-mutants/served.js";

const CHECKS = [...registered(SOUND).keys()];
const areaOf = (check: string) => check.split("/")[0]!;

describe("a storage with a defect", () => {
  it.each(MUTANTS)("$name is found by $check", async (mutant) => {
    const text = await failureOf(mutant);
    expect(text).toMatch(/^[a-z-]+\/[a-z-]+\n {2}rule {6}/);
    expect(text).toMatch(mutant.failure);
  });

  it("exists for every check, and at least three exist for every area", () => {
    const found = new Set(MUTANTS.map(({ check }) => check));
    expect(CHECKS.filter((check) => !found.has(check))).toEqual([]);
    const areas = [...new Set(CHECKS.map(areaOf))];
    const few = areas.filter((area) => MUTANTS.filter(({ check }) => areaOf(check) === area).length < 3);
    expect(few).toEqual([]);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });
});
