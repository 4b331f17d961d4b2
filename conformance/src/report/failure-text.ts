import { TIERS } from "@membus/protocol";
import { type CaseResult, type CheckResult, isRed } from "../run/outcome.js";
import type { TracedCall } from "../trace.js";
import { clauseText } from "./clause-text.js";

const CALLS_SHOWN = 6;
const CALL_LENGTH_MAX = 700;

/** Labels of red outcomes in reports. */
export const RED_WORDS = { fail: "FAIL", untestable: "UNTESTABLE", "suite-error": "SUITE ERROR" } as const;

type Red = keyof typeof RED_WORDS;

/** A red case, merged over all tiers with the same result. */
export interface RedCase extends CaseResult {
  readonly outcome: Red;
  /** Affected tiers, such as `working, episodic`. For repeated runs also the number of failed rounds. */
  readonly where: string;
}

/** Returns the red cases of a check: the worst case of each tier, with identical results merged. */
export function redCases({ cases }: Pick<CheckResult, "cases">): RedCase[] {
  const byDiscrepancy = new Map<string, RedCase>();
  for (const tier of TIERS) {
    const ofTier = cases.filter((result) => result.tier === tier);
    const red = ofTier.filter(({ outcome }) => isRed(outcome));
    const worst = red.find(({ outcome }) => outcome !== "untestable") ?? red[0];
    if (worst === undefined) continue;
    const { outcome, reason, discrepancy } = worst;
    const key = JSON.stringify([outcome, reason, discrepancy?.what, discrepancy?.expected, discrepancy?.got]);
    const here = ofTier.length === 1 ? tier : `${tier} (${red.length} of ${ofTier.length} times)`;
    const before = byDiscrepancy.get(key);
    if (before === undefined) byDiscrepancy.set(key, { ...worst, outcome: outcome as Red, where: here });
    else byDiscrepancy.set(key, { ...before, where: `${before.where}, ${here}` });
  }
  return [...byDiscrepancy.values()];
}

/** Fields that a report adds to a result. */
interface Repeatable extends CheckResult {
  /** Seed that reproduces the result. */
  readonly seed: number;
  readonly known?: string;
}

/** Returns all details that are needed to understand and repeat a red check. */
export function failureText(result: Repeatable): string {
  const { id, level, clauses, outcome, known, seed, rerun } = result;
  return [
    `${RED_WORDS[outcome as Red]} ${id} (${level})`,
    ...clauses.map((clause) => `  ${clauseText(clause)}`),
    ...(known === undefined ? [] : [field("known", known)]),
    ...redCases(result).flatMap(caseLines),
    field("seed", String(seed)),
    field("rerun", rerun),
  ].join("\n");
}

/**
 * Returns the exchanges that show the failure. Returns none if a script shows it, because the later exchanges
 * belong to the search.
 */
export function shownCalls({ script, calls = [] }: RedCase): readonly TracedCall[] {
  return script === undefined ? calls : [];
}

function caseLines(result: RedCase): string[] {
  const { where, outcome, reason, discrepancy, script } = result;
  const found =
    discrepancy === undefined
      ? [field("because", reasonOf(outcome, reason))]
      : [
          field("checked", discrepancy.what),
          field("expected", discrepancy.expected),
          field("got", discrepancy.got),
          ...(discrepancy.sent === undefined ? [] : [field("sent", cut(discrepancy.sent))]),
        ];
  const program =
    script === undefined ? [] : [field("script", `with the fewest requests\n${script.trimEnd()}`)];
  return [field("tier", where), ...found, ...callLines(shownCalls(result)), ...program];
}

function callLines(calls: readonly TracedCall[]): string[] {
  if (calls.length === 0) return [];
  const shown = calls.slice(-CALLS_SHOWN);
  const count =
    shown.length < calls.length ? `the last ${shown.length} of ${calls.length}` : String(calls.length);
  return [
    field("calls", count),
    ...shown.flatMap(({ call, sent, got, stack = [] }) => [
      `    ${call}`,
      `      sent  ${cut(sent)}`,
      `      got   ${cut(got)}`,
      ...stack.map((frame) => `            ${frame}`),
    ]),
  ];
}

function cut(text: string): string {
  return text.length <= CALL_LENGTH_MAX ? text : `${text.slice(0, CALL_LENGTH_MAX)}…`;
}

/** Returns the reason for a case without a discrepancy. */
export function reasonOf(outcome: Red, reason = "no reason is known"): string {
  const advice = "This is an error in the suite. Please report it.";
  return outcome === "suite-error" ? `${reason}\n${advice}` : reason;
}

function field(name: string, value: string): string {
  return `  ${name.padEnd(9)} ${value.replaceAll("\n", `\n${" ".repeat(12)}`)}`;
}
