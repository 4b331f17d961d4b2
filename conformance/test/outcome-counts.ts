import { expect } from "vitest";
import type { CheckOutcome, SuiteReport } from "../src/index.js";

type Counts = Partial<Record<CheckOutcome, number>>;

/**
 * Expects no red check and the given number of checks per outcome. The counts are literals, so that a lost
 * check is noticed.
 */
export function expectConformant(report: SuiteReport, counts: Counts): void {
  expectNoneRed(report);
  expect(outcomeCounts(report)).toEqual(counts);
  expect(report.conformant).toBe(true);
}

/** Expects that each applicable check passed. The message names those that did not. */
export function expectNoneRed(report: SuiteReport): void {
  const red = redChecks(report);
  expect(red, red.join("; ")).toEqual([]);
}

export function outcomeCounts({ checks }: SuiteReport): Counts {
  const counts: Counts = {};
  for (const { outcome } of checks) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Returns the applicable checks that did not pass, with their messages. */
function redChecks({ checks }: SuiteReport): string[] {
  return checks.flatMap(({ id, outcome, cases }) => {
    if (outcome === "pass" || outcome === "not-applicable") return [];
    const worst = cases.find((one) => one.outcome === outcome);
    return [`${id} ${outcome} in ${worst?.tier}: ${JSON.stringify(worst?.discrepancy ?? worst?.reason)}`];
  });
}
