import { levelOf } from "../src/catalogue/clauses.js";
import { CHECKS } from "../src/index.js";
import type { Verdict } from "./judge.js";
import { type Snapshot, surpriseOf } from "./snapshot.js";

/** What `npm run mutants -- --json FILE` writes. */
export interface MutantReport {
  readonly total: number;
  readonly killed: number;
  /** MUST checks that no mutant was made for, or whose mutants they did not find. */
  readonly unkilled_checks: readonly string[];
  readonly mutants: readonly {
    readonly id: string;
    /** The check that must find it. */
    readonly names: string;
    readonly turned_red: readonly string[];
    readonly ok: boolean;
  }[];
}

export function mutantReport(verdicts: readonly Verdict[], snapshot: Snapshot): MutantReport {
  const mutants = verdicts.map((verdict) => {
    const { id, check, turned_red } = verdict;
    return { id, names: check, turned_red, ok: surpriseOf(verdict, snapshot) === undefined };
  });
  const killed = verdicts.filter(({ ok }) => ok);
  const found = new Set(killed.map(({ check }) => check));
  return {
    total: verdicts.length,
    killed: killed.length,
    unkilled_checks: mustChecksWithout(found),
    mutants,
  };
}

/** The ids of the MUST checks that are not among these. */
export function mustChecksWithout(ids: ReadonlySet<string>): string[] {
  const must = CHECKS.filter(({ clauses }) => levelOf(clauses) === "MUST");
  return must.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
}
