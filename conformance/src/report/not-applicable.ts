import type { CheckResult } from "../run/outcome.js";

/** Groups the ids of checks that apply to no tier by the reason. */
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
