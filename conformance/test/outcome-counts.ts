import type { CheckOutcome, SuiteReport } from "../src/index.js";

/** How many checks came to each outcome: pinned as a literal, so that none disappears unseen. */
export function outcomeCounts({ checks }: SuiteReport): Partial<Record<CheckOutcome, number>> {
  const counts: Partial<Record<CheckOutcome, number>> = {};
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
