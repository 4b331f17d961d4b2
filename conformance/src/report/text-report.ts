import type { ProfileScore } from "../catalogue/profile.js";
import { isRed } from "../run/outcome.js";
import { type CauseGroup, causeGroups } from "./cause-groups.js";
import { clauseText } from "./clause-text.js";
import { failureText } from "./failure-text.js";
import { FURTHER_SUITES_TITLE, furtherSuiteText } from "./further-suites-text.js";
import { notApplicableByReason } from "./not-applicable.js";
import type { ReportedCheck, SuiteReport } from "./suite-report.js";
import { verdictText } from "./verdict-text.js";

const WIDTH = 110;

/** Renders a report as text: failures, skipped checks, scores and the verdict. */
export function textReport(report: SuiteReport): string {
  const sections = [
    header(report),
    ...causeGroups(report.checks).map(groupText),
    staleBaseline(report),
    notClaimed(report),
    notApplicable(report),
    excluded(report),
    section(FURTHER_SUITES_TITLE, report.furtherSuites.map(furtherSuiteText)),
    scores(report),
    verdictText(report),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function header({
  suiteVersion,
  protocolVersion,
  implementation,
  route,
  tiers,
  seed,
  repeat,
}: SuiteReport): string {
  return [
    `membus conformance ${suiteVersion}, protocol ${protocolVersion}`,
    `implementation ${implementation}`,
    `route          ${route}`,
    ...tiers.map(({ tier, plugin }) => `tier           ${tier}: ${plugin}`),
    `seed           ${seed}${repeat === 1 ? "" : `, each check ${repeat} times`}`,
  ].join("\n");
}

/**
 * Renders the first check of a cause in detail and the others by name. Each red check has the command that
 * repeats it.
 */
function groupText({ first, alike, blocked }: CauseGroup): string {
  const ids = blocked.map(({ id }) => id).join(" ");
  return [
    failureText(first),
    ...alike.flatMap(({ id, level, clauses, rerun }) => [
      `  the same: ${id} (${level}), again by ${rerun}`,
      ...clauses.map((clause) => `    ${clauseText(clause)}`),
    ]),
    ...(blocked.length === 0 ? [] : [`  ${wrapped(`blocked by this (${blocked.length}): ${ids}`)}`]),
  ].join("\n");
}

function staleBaseline({ staleBaseline: ids }: SuiteReport): string {
  return section("Stale entries of the baseline: these checks are not red, remove them", ids);
}

function notClaimed({ notClaimed: features, tiers }: SuiteReport): string {
  return section(
    "Not claimed: features that the manifest declares false, so no check proves that they work",
    features.map(({ feature, meaning, tiers: without }) => {
      const where = tiers.length === 1 ? "" : ` (${without.join(", ")})`;
      return `${feature}: ${meaning}${where}`;
    }),
  );
}

/** Lists checks that do not apply. Checks of profiles that the host does not keep are only counted. */
function notApplicable({ checks, profiles }: SuiteReport): string {
  const scored = profiles.map(({ profile }) => profile);
  const isScored = (check: ReportedCheck) =>
    check.profiles.length === 0 || check.profiles.some((name) => scored.includes(name));
  const reasons = [...notApplicableByReason(checks.filter(isScored))].map(([reason, ids]) =>
    wrapped(`${reason} (${ids.length}): ${ids.join(" ")}`),
  );
  const others = checks.filter((check) => check.outcome === "not-applicable" && !isScored(check)).length;
  const left = others === 0 ? [] : [`of other profiles than ${scored.join(", ")}: ${others} checks`];
  return section("Not applicable: counted in no score", [...reasons, ...left]);
}

function excluded({ excludedClauses }: SuiteReport): string {
  return section(
    "Clauses that no check can test",
    excludedClauses.map(({ id, level, text, reason }) => wrapped(`${id} ${level} ${text} ${reason}`)),
  );
}

function scores({ profiles, checks, clauses, complete }: SuiteReport): string {
  const unscored = checks.filter((check) => check.profiles.length === 0);
  const red = unscored.filter(({ outcome }) => isRed(outcome)).length;
  const others = unscored.length === 0 ? [] : [`in no profile: ${unscored.length} checks, ${red} red`];
  const { total, checked, unchecked } = clauses;
  const coverage = `clauses: ${checked} of ${total} have a check that applies, ${unchecked.length} have none`;
  return section("Scores", [...profiles.map(scoreText), ...others, ...(complete ? [coverage] : [])]);
}

/** Renders a score: `core 1.0: MUST 140/141, SHOULD 6/6, not applicable 12`. */
function scoreText(score: ProfileScore): string {
  const name = `${score.profile} ${score.version}`;
  if (!score.claimed) return `${name}: not claimed`;
  const { must, should, notApplicable, notRun } = score;
  return [
    `${name}: MUST ${must.passed}/${must.total}`,
    `SHOULD ${should.passed}/${should.total}`,
    `not applicable ${notApplicable.length}`,
    ...(notRun.length === 0 ? [] : [`not run ${notRun.length}`]),
  ].join(", ");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [title, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Wraps text at the width of the report and indents every line after the first. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length >= WIDTH - 4) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line].join("\n      ");
}
