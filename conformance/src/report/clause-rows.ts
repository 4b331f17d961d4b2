import { CLAUSES, type Clause } from "../catalogue/clauses.js";
import { type CheckOutcome, worstOf } from "../run/outcome.js";
import type { ReportedCheck, SuiteReport } from "./suite-report.js";

/** What a run says of one clause. */
export interface ClauseRow extends Clause {
  readonly checks: readonly ReportedCheck[];
  /** The worst of its checks; undefined where the run had none. */
  readonly outcome: CheckOutcome | undefined;
  /** Why it has none. */
  readonly note: string;
}

/** Every clause of the protocol, in its order. */
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
