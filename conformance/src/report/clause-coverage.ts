import { CLAUSES } from "../catalogue/clauses.js";
import type { CheckResult } from "../run/outcome.js";

/** How much of the protocol a run looked at, of the clauses that are more than a choice. */
export interface ClauseCoverage {
  readonly total: number;
  readonly checked: number;
  /** Ids of those that no check is about which applies to what was tested, in the order of the protocol. */
  readonly unchecked: readonly string[];
}

export function clauseCoverage(results: readonly CheckResult[]): ClauseCoverage {
  const applicable = results.filter(({ outcome }) => outcome !== "not-applicable");
  const checked = new Set(applicable.flatMap(({ clauses }) => clauses));
  const testable = [...CLAUSES.values()].filter(({ level }) => level !== "MAY").map(({ id }) => id);
  const unchecked = testable.filter((id) => !checked.has(id));
  return { total: testable.length, checked: testable.length - unchecked.length, unchecked };
}
