import type { CheckResult } from "../run/outcome.js";

/** Ids of the checks that apply nowhere, by the reasons that the runner had. */
export function notApplicableByReason(checks: readonly CheckResult[]): Map<string, string[]> {
  const byReason = new Map<string, string[]>();
  for (const { id, outcome, cases } of checks) {
    if (outcome !== "not-applicable") continue;
    const reasons = new Set(cases.map((result) => result.reason ?? "the implementation serves no tier"));
    const reason = reasons.size === 0 ? "the implementation serves no tier" : [...reasons].join(", or ");
    byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
  }
  return byReason;
}
