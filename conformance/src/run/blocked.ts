import type { Check } from "../catalogue/check.js";
import type { World } from "../world.js";
import { type CheckResult, isRed } from "./outcome.js";
import { type RunOptions, runSuite } from "./run-suite.js";

/**
 * Reports each malformed reply once: one check with the cause stays red.
 *
 * The other checks with this cause run again without the form check. Checks that do not need the malformed
 * field pass, and the rest is blocked.
 */
export async function withoutBlocked(
  results: readonly CheckResult[],
  checks: readonly Check[],
  world: World,
  options: RunOptions,
): Promise<CheckResult[]> {
  const reporters = reportersOf(results);
  const others = results.filter((result) => isOther(result, reporters)).map(({ id }) => id);
  if (others.length === 0) return [...results];
  const again = checks.filter(({ id }) => others.includes(id));
  const { onResult: _, ...rest } = options;
  const second = await runSuite(again, world, { ...rest, anyForm: true });
  const passed = new Map(second.filter(({ outcome }) => outcome === "pass").map((one) => [one.id, one]));
  return results.map((result) => {
    if (!others.includes(result.id)) return result;
    return passed.get(result.id) ?? blockedBy(reporters.get(causeOf(result)!)!, result);
  });
}

/** Returns the check that reports each cause, preferably a MUST check. */
function reportersOf(results: readonly CheckResult[]): Map<string, string> {
  const reporters = new Map<string, CheckResult>();
  for (const result of results) {
    const cause = causeOf(result);
    const isCause = result.cases.some(({ discrepancy }) => discrepancy?.cause === cause);
    if (cause === undefined || !isCause) continue;
    const former = reporters.get(cause);
    if (former === undefined || (former.level !== "MUST" && result.level === "MUST"))
      reporters.set(cause, result);
  }
  return new Map([...reporters].map(([cause, { id }]) => [cause, id]));
}

/**
 * Returns the cause of the first red case. Returns undefined unless all red cases failed over malformed
 * replies.
 */
function causeOf({ cases }: CheckResult): string | undefined {
  const red = cases.filter(({ outcome }) => isRed(outcome));
  return red.every(({ cause }) => cause !== undefined) ? red[0]?.cause : undefined;
}

function isOther(result: CheckResult, reporters: ReadonlyMap<string, string>): boolean {
  const cause = causeOf(result);
  return cause !== undefined && reporters.has(cause) && reporters.get(cause) !== result.id;
}

function blockedBy(reporter: string, result: CheckResult): CheckResult {
  const reason = `blocked by ${reporter}, which reports the malformed reply`;
  const cases = result.cases.map(({ discrepancy: _, calls: _calls, script: _script, ...one }) =>
    isRed(one.outcome) ? { ...one, outcome: "blocked" as const, reason } : one,
  );
  return { ...result, outcome: "blocked", blockedBy: reporter, cases };
}
