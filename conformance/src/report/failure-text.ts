import { TIERS } from "@membus/protocol";
import { type CaseResult, type CheckResult, isRed } from "../run/outcome.js";
import type { TracedCall } from "../trace.js";
import { clauseText } from "./clause-text.js";

const CALLS_SHOWN = 6;
const CALL_LENGTH_MAX = 700;

/** How reports name what is red. */
export const RED_WORDS = { fail: "FAIL", untestable: "UNTESTABLE", "suite-error": "SUITE ERROR" } as const;

type Red = keyof typeof RED_WORDS;

/** A case that is red, for all the tiers where the same came. */
export interface RedCase extends CaseResult {
  readonly outcome: Red;
  /** `working, episodic`, and in how many of the rounds where there were several. */
  readonly where: string;
}

/** The red cases of a check, told once for all tiers that it went the same way in: the worst of each tier. */
export function redCases({ cases }: Pick<CheckResult, "cases">): RedCase[] {
  const told = new Map<string, RedCase>();
  for (const tier of TIERS) {
    const ofTier = cases.filter((result) => result.tier === tier);
    const red = ofTier.filter(({ outcome }) => isRed(outcome));
    const worst = red.find(({ outcome }) => outcome !== "untestable") ?? red[0];
    if (worst === undefined) continue;
    const { outcome, reason, discrepancy } = worst;
    const key = JSON.stringify([outcome, reason, discrepancy?.what, discrepancy?.expected, discrepancy?.got]);
    const here = ofTier.length === 1 ? tier : `${tier} (${red.length} of ${ofTier.length} times)`;
    const before = told.get(key);
    if (before === undefined) told.set(key, { ...worst, outcome: outcome as Red, where: here });
    else told.set(key, { ...before, where: `${before.where}, ${here}` });
  }
  return [...told.values()];
}

/** What a report adds to a result. */
interface Repeatable extends CheckResult {
  /** The seed of a run that shows it again. */
  readonly seed: number;
  readonly known?: string;
}

/** Everything that is needed to understand and repeat a check that is red, in lines. */
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

/** The exchanges that show the failure: none where a program does, for they are of what was tried after it. */
export function shownCalls({ script, calls = [] }: RedCase): readonly TracedCall[] {
  return script === undefined ? calls : [];
}

function caseLines(result: RedCase): string[] {
  const { where, outcome, reason, discrepancy, script } = result;
  const found =
    discrepancy === undefined
      ? [field("because", reasonOf(outcome, reason))]
      : [
          field("looked at", discrepancy.what),
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

/** What a case without a discrepancy says for itself. */
export function reasonOf(outcome: Red, reason = "no reason is known"): string {
  const advice = "This is a mistake of the suite: please report it.";
  return outcome === "suite-error" ? `${reason}\n${advice}` : reason;
}

function field(name: string, value: string): string {
  return `  ${name.padEnd(9)} ${value.replaceAll("\n", `\n${" ".repeat(12)}`)}`;
}
