import { isRed } from "../run/outcome.js";
import type { ReportedCheck, SuiteReport } from "./suite-report.js";

/** The last line of a report: conformant or not, and why. */
export function verdictText({ checks, complete, conformant, profiles }: SuiteReport): string {
  const red = checks.filter(({ outcome }) => isRed(outcome));
  const blockedCount = checks.filter(({ outcome }) => outcome === "blocked").length;
  if (!complete) {
    const found = red.length === 0 ? "none is red" : describeRed(red, blockedCount);
    return `Of the selected checks (${checks.length}) ${found}. Only a run of all tells conformance.`;
  }
  if (!conformant) return `Not conformant: ${describeRed(red, blockedCount) || "no profile is claimed"}.`;
  const kept = profiles
    .filter((score) => score.claimed)
    .map(({ profile, version }) => `${profile} ${version}`);
  const missed =
    red.length === 0 ? "" : `, though not all is as it should be: ${describeRed(red, blockedCount)}`;
  return `Conformant to ${kept.join(", ")}${missed}.`;
}

function describeRed(red: readonly ReportedCheck[], blockedCount: number): string {
  const failed = red.filter(({ outcome }) => outcome === "fail");
  const counts: readonly (readonly [number, string])[] = [
    [failed.filter(({ level }) => level === "MUST").length, "MUST failed"],
    [failed.filter(({ level }) => level !== "MUST").length, "SHOULD failed"],
    [red.filter(({ outcome }) => outcome === "untestable").length, "untestable"],
    [red.filter(({ outcome }) => outcome === "suite-error").length, "by a mistake of the suite"],
    [blockedCount, "blocked by these"],
    [red.filter(({ known }) => known !== undefined).length, "of these known by the baseline"],
  ];
  return counts
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`)
    .join(", ");
}
