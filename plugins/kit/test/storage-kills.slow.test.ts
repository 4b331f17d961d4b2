import { expect, it } from "vitest";
import { failureOf, isSlow } from "./storage-mutants/failure-of.js";
import { MUTANTS } from "./storage-mutants/served.js";

it.each(MUTANTS.filter(isSlow))("a storage with the defect $name is found by $check", async (mutant) => {
  const text = await failureOf(mutant);
  expect(text).toMatch(/^[a-z-]+\/[a-z-]+\n {2}promised {2}/);
  expect(text).toMatch(mutant.says);
});
