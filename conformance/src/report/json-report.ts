import { type CaseResult, isRed } from "../run/outcome.js";
import { clauseText } from "./clause-text.js";
import type { ReportedCheck, SuiteReport } from "./suite-report.js";

/** Name and version of the format. Within a version fields are only added. */
const FORMAT = { name: "membus-conformance-report", version: 1 } as const;

/** Renders a report for programs: one JSON document with field names in snake_case. */
export function jsonReport(report: SuiteReport): string {
  return `${JSON.stringify(jsonFields(report), null, 2)}\n`;
}

function jsonFields(report: SuiteReport) {
  return {
    format: FORMAT,
    suite_version: report.suiteVersion,
    protocol_version: report.protocolVersion,
    implementation: report.implementation,
    route: report.route,
    seed: report.seed,
    repeat: report.repeat,
    started_at: report.startedAt,
    duration_ms: report.durationMs,
    complete: report.complete,
    conformant: report.conformant,
    tiers: report.tiers,
    not_claimed: report.notClaimed,
    further_suites: report.furtherSuites,
    profiles: report.profiles.map(({ notApplicable, notRun, ...score }) => ({
      ...score,
      not_applicable: notApplicable,
      not_run: notRun,
    })),
    checks: report.checks.map(checkFields),
    clauses: report.clauses,
    excluded_clauses: report.excludedClauses,
    stale_baseline: report.staleBaseline,
  };
}

/** A red check also has the texts of its clauses. */
function checkFields({ cases, ...check }: ReportedCheck) {
  const texts = isRed(check.outcome) ? { clause_texts: check.clauses.map(clauseText) } : {};
  return { ...check, ...texts, cases: cases.map(caseFields) };
}

function caseFields({ durationMs, ...result }: CaseResult) {
  return { ...result, duration_ms: durationMs };
}
