import { expect } from "vitest";
import type { CheckOutcome, SuiteReport } from "../src/index.js";

type Counts = Partial<Record<CheckOutcome, number>>;

/** Nothing is red, and so many checks came to each outcome: a literal, so that none disappears unseen. */
export function expectConformant(report: SuiteReport, counts: Counts): void {
  expect(redChecks(report)).toEqual([]);
  expect(outcomeCounts(report)).toEqual(counts);
  expect(report.conformant).toBe(true);
}

function outcomeCounts({ checks }: SuiteReport): Counts {
  const counts: Counts = {};
  for (const { outcome } of checks) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** What did not pass though it applies, and what it said. */
export function redChecks({ checks }: SuiteReport): string[] {
  return checks.flatMap(({ id, outcome, cases }) => {
    if (outcome === "pass" || outcome === "not-applicable") return [];
    const worst = cases.find((one) => one.outcome === outcome);
    return [`${id} ${outcome} in ${worst?.tier}: ${JSON.stringify(worst?.discrepancy ?? worst?.reason)}`];
  });
}
