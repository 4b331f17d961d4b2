import { CLAUSES } from "../catalogue/clauses.js";
import type { CheckResult } from "../run/outcome.js";

/** Share of the MUST and SHOULD clauses that a run tested. */
export interface ClauseCoverage {
  readonly total: number;
  readonly checked: number;
  /** Ids of clauses without an applicable check, in the order of the protocol. */
  readonly unchecked: readonly string[];
}

export function clauseCoverage(results: readonly CheckResult[]): ClauseCoverage {
  const applicable = results.filter(({ outcome }) => outcome !== "not-applicable");
  const checked = new Set(applicable.flatMap(({ clauses }) => clauses));
  const testable = [...CLAUSES.values()].filter(({ level }) => level !== "MAY").map(({ id }) => id);
  const unchecked = testable.filter((id) => !checked.has(id));
  return { total: testable.length, checked: testable.length - unchecked.length, unchecked };
}
