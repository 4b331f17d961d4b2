import { isRed } from "../run/outcome.js";
import { furtherSuitesAdvice } from "./further-suites-text.js";
import type { ReportedCheck, SuiteReport } from "./suite-report.js";

/** Returns the last line of a report: conformant or not, and the reason. */
export function verdictText({ checks, complete, conformant, profiles, furtherSuites }: SuiteReport): string {
  const red = checks.filter(({ outcome }) => isRed(outcome));
  const blockedCount = checks.filter(({ outcome }) => outcome === "blocked").length;
  if (!complete) {
    const found = red.length === 0 ? "none is red" : describeRed(red, blockedCount);
    return `${checks.length} selected checks: ${found}. Only a complete run can show conformance.`;
  }
  if (!conformant) return `Not conformant: ${describeRed(red, blockedCount) || "no profile is claimed"}.`;
  const kept = profiles
    .filter((score) => score.claimed)
    .map(({ profile, version }) => `${profile} ${version}`);
  const missed = red.length === 0 ? "" : `, with open findings: ${describeRed(red, blockedCount)}`;
  return `Conformant to ${kept.join(", ")}${missed}.${furtherSuitesAdvice(furtherSuites)}`;
}

function describeRed(red: readonly ReportedCheck[], blockedCount: number): string {
  const failed = red.filter(({ outcome }) => outcome === "fail");
  const counts: readonly (readonly [number, string])[] = [
    [failed.filter(({ level }) => level === "MUST").length, "MUST failed"],
    [failed.filter(({ level }) => level !== "MUST").length, "SHOULD failed"],
    [red.filter(({ outcome }) => outcome === "untestable").length, "untestable"],
    [red.filter(({ outcome }) => outcome === "suite-error").length, "suite errors"],
    [blockedCount, "blocked by these"],
    [red.filter(({ known }) => known !== undefined).length, "of these in the baseline"],
  ];
  return counts
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`)
    .join(", ");
}
