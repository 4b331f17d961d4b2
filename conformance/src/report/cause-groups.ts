import { isRed } from "../run/outcome.js";
import { redCases } from "./failure-text.js";
import type { ReportedCheck } from "./suite-report.js";

/** Red checks with one cause, reported once. */
export interface CauseGroup {
  readonly first: ReportedCheck;
  /** Red checks that failed in the same way. */
  readonly alike: readonly ReportedCheck[];
  /** Checks with an unknown result until the first one passes. */
  readonly blocked: readonly ReportedCheck[];
}

const GOT_LENGTH_COMPARED = 120;

/** Groups the red checks of a report by cause, in the order of the checks. */
export function causeGroups(checks: readonly ReportedCheck[]): CauseGroup[] {
  const byCause = new Map<string, ReportedCheck[]>();
  for (const check of checks.filter(({ outcome }) => isRed(outcome))) {
    const cause = likeness(check);
    byCause.set(cause, [...(byCause.get(cause) ?? []), check]);
  }
  return [...byCause.values()].map(([first, ...alike]) => {
    const ids = [first!, ...alike].map(({ id }) => id);
    const blocked = checks.filter(({ blockedBy }) => blockedBy !== undefined && ids.includes(blockedBy));
    return { first: first!, alike, blocked };
  });
}

/** Returns the expected and actual values without ids and numbers, which differ from run to run. */
function likeness(check: ReportedCheck): string {
  const failures = redCases(check).map(({ where, outcome, reason, discrepancy }) => {
    const { what, expected, got } = discrepancy ?? {};
    const alike = got?.replace(/[0-9a-f-]{8,}|\d+/g, "#").slice(0, GOT_LENGTH_COMPARED);
    return [where, outcome, reason?.replace(/\d+/g, "#"), what, expected, alike];
  });
  return JSON.stringify(failures);
}
