import { CHECKS, CLAUSES } from "@membus/conformance";

/** A clause of level MUST that checks cite, and which mutants of theirs there are. */
export interface ClauseReport {
  readonly id: string;
  /** Ids of the mutants that checks of this clause killed. */
  readonly killed: readonly string[];
}

/** What of the protocol mutants show to be held to: every MUST clause that a check tests, in the order of the spec. */
export function clauseReport(
  killed: readonly { readonly id: string; readonly check: string }[],
): ClauseReport[] {
  const must = [...CLAUSES.values()].filter(({ level }) => level === "MUST");
  return must.flatMap(({ id }) => {
    const checks = new Set(CHECKS.filter(({ clauses }) => clauses.includes(id)).map((check) => check.id));
    if (checks.size === 0) return [];
    return [{ id, killed: killed.filter(({ check }) => checks.has(check)).map((mutant) => mutant.id) }];
  });
}
