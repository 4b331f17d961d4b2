import { CLAUSES, type Clause } from "../catalogue/clauses.js";
import { type CheckOutcome, worstOf } from "../run/outcome.js";
import type { ReportedCheck, SuiteReport } from "./suite-report.js";

/** Result of a run for one clause. */
export interface ClauseRow extends Clause {
  readonly checks: readonly ReportedCheck[];
  /** Worst outcome of its checks. Undefined if the run had no check for it. */
  readonly outcome: CheckOutcome | undefined;
  /** Reason for a missing check, empty otherwise. */
  readonly note: string;
}

/** Returns a row for every clause of the protocol, in its order. */
export function clauseRows({ checks, excludedClauses, complete, route }: SuiteReport): ClauseRow[] {
  const reasons = new Map(excludedClauses.map(({ id, reason }) => [id, reason]));
  const otherwise = complete ? `no check of the ${route} route cites it` : "no check of this run cites it";
  return [...CLAUSES.values()].map((clause) => {
    const citing = checks.filter(({ clauses }) => clauses.includes(clause.id));
    const reason = clause.level === "MAY" ? "a choice: nothing to test" : otherwise;
    return {
      ...clause,
      checks: citing,
      outcome: citing.length === 0 ? undefined : worstOf(citing.map(({ outcome }) => outcome)),
      note: citing.length > 0 ? "" : (reasons.get(clause.id) ?? reason),
    };
  });
}
