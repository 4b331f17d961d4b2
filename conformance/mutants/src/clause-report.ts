import { CHECKS, CLAUSES } from "@membus/conformance";

/** A MUST clause with a check, and the mutants of its checks. */
export interface ClauseReport {
  readonly id: string;
  /** Ids of the mutants that checks of this clause detected. */
  readonly killed: readonly string[];
}

/** Returns every MUST clause with a check, in the order of the spec, and the mutants that violate it. */
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
