import type { Check } from "../catalogue/check.js";
import type { World } from "../world.js";
import { type CheckResult, isRed } from "./outcome.js";
import { type RunOptions, runSuite } from "./run-suite.js";

/**
 * One cause, one red. Of the checks that failed over replies that lack the same of their form, one that says so stays red.
 * The others run once more, with replies as they come: those that do not need what is missing pass, the rest is blocked.
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

/** The check that reports each cause, as it says what is missing: best one that must hold. */
function reportersOf(results: readonly CheckResult[]): Map<string, string> {
  const reporters = new Map<string, CheckResult>();
  for (const result of results) {
    const cause = causeOf(result);
    const says = result.cases.some(({ discrepancy }) => discrepancy?.cause === cause);
    if (cause === undefined || !says) continue;
    const former = reporters.get(cause);
    if (former === undefined || (former.level !== "MUST" && result.level === "MUST"))
      reporters.set(cause, result);
  }
  return new Map([...reporters].map(([cause, { id }]) => [cause, id]));
}

/** Undefined unless every case of it that is red met with the form of a reply; else what the first one met with. */
function causeOf({ cases }: CheckResult): string | undefined {
  const red = cases.filter(({ outcome }) => isRed(outcome));
  return red.every(({ cause }) => cause !== undefined) ? red[0]?.cause : undefined;
}

function isOther(result: CheckResult, reporters: ReadonlyMap<string, string>): boolean {
  const cause = causeOf(result);
  return cause !== undefined && reporters.has(cause) && reporters.get(cause) !== result.id;
}

function blockedBy(reporter: string, result: CheckResult): CheckResult {
  const reason = `blocked by ${reporter}, which says what the replies lack`;
  const cases = result.cases.map(({ discrepancy: _, calls: _calls, script: _script, ...one }) =>
    isRed(one.outcome) ? { ...one, outcome: "blocked" as const, reason } : one,
  );
  return { ...result, outcome: "blocked", blockedBy: reporter, cases };
}
