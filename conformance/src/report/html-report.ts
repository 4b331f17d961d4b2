import type { ProfileScore } from "../catalogue/profile.js";
import { isRed } from "../run/outcome.js";
import { causeGroups } from "./cause-groups.js";
import { clauseRows } from "./clause-rows.js";
import { FURTHER_SUITES_TITLE, furtherSuiteText } from "./further-suites-text.js";
import { clauseTables } from "./html-clauses.js";
import { groupArticles } from "./html-failure.js";
import { HTML_STYLE } from "./html-style.js";
import { escapeMarkup, markupOf } from "./markup.js";
import { notApplicableByReason } from "./not-applicable.js";
import type { SuiteReport } from "./suite-report.js";
import { verdictText } from "./verdict-text.js";

/** Renders a report as one self-contained HTML page without scripts, fonts or other files. */
export function htmlReport(report: SuiteReport): string {
  const title = `membus conformance of ${report.implementation}`;
  const red = report.checks.filter(({ outcome }) => isRed(outcome));
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeMarkup(title)}</title>`,
    `<style>${HTML_STYLE}</style>`,
    "</head>",
    "<body>",
    header(report),
    "<main>",
    section("Scores", `<div class="cards">${report.profiles.map(scoreCard).join("\n")}</div>`),
    section(`Red checks (${red.length})`, causeGroups(report.checks).map(groupArticles).join("\n")),
    section(
      FURTHER_SUITES_TITLE,
      list(report.furtherSuites.map((suite) => markupOf(furtherSuiteText(suite)))),
    ),
    section("Not claimed", list(report.notClaimed.map(unclaimedItem(report)))),
    section("Clauses that no check can test", list(report.excludedClauses.map(excludedItem))),
    section("Clauses", clauseTables(clauseRows(report))),
    section("Not applicable", notApplicableItems(report)),
    "</main>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function header(report: SuiteReport): string {
  const { suiteVersion, protocolVersion, implementation, route, seed, repeat, startedAt, durationMs } =
    report;
  const facts: readonly (readonly [string, string])[] = [
    ["route", route],
    ...report.tiers.map(({ tier, plugin }) => [`tier ${tier}`, plugin] as const),
    ["protocol", protocolVersion],
    ["suite", suiteVersion],
    ["seed", repeat === 1 ? String(seed) : `${seed}, each check ${repeat} times`],
    ["run", `${new Date(startedAt * 1_000).toISOString()}, ${(durationMs / 1_000).toFixed(1)} s`],
  ];
  const rows = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeMarkup(value)}</dd></div>`);
  const state = report.conformant ? "good" : report.complete ? "bad" : "partial";
  return [
    `<header class="${state}">`,
    '<p class="kind">membus conformance</p>',
    `<h1>${escapeMarkup(implementation)}</h1>`,
    `<p class="verdict">${escapeMarkup(verdictText(report))}</p>`,
    `<dl>${rows.join("")}</dl>`,
    "</header>",
  ].join("\n");
}

function scoreCard({ profile, version, claimed, conformant, must, should, ...rest }: ProfileScore): string {
  const name = `<h3>${escapeMarkup(profile)} ${escapeMarkup(version)}</h3>`;
  if (!claimed) return `<div class="card unclaimed">${name}<p>not claimed</p></div>`;
  const share = must.total === 0 ? 0 : (must.passed / must.total) * 100;
  const others = [
    ...(should.total === 0 ? [] : [`${should.passed} of ${should.total} SHOULD`]),
    `${rest.notApplicable.length} not applicable`,
    ...(rest.notRun.length === 0 ? [] : [`${rest.notRun.length} not run`]),
  ];
  return [
    `<div class="card ${conformant ? "good" : "bad"}">${name}`,
    `<p class="must"><strong>${must.passed}</strong> of ${must.total} MUST</p>`,
    `<div class="bar"><i style="width:${share.toFixed(2)}%"></i></div>`,
    `<p>${others.join(", ")}</p>`,
    "</div>",
  ].join("\n");
}

function unclaimedItem({ tiers }: SuiteReport): (item: SuiteReport["notClaimed"][number]) => string {
  return ({ feature, meaning, tiers: without }) => {
    const where = tiers.length === 1 ? "" : ` (${without.join(", ")})`;
    return `<code>${feature}</code> ${markupOf(meaning)}${where}`;
  };
}

function excludedItem({ id, level, text, reason }: SuiteReport["excludedClauses"][number]): string {
  return `<code>${escapeMarkup(id)}</code> ${level} ${markupOf(text)} <em>${markupOf(reason)}</em>`;
}

function notApplicableItems({ checks }: SuiteReport): string {
  const groups = [...notApplicableByReason(checks)].map(([reason, ids]) => {
    const names = ids.map((id) => `<code>${escapeMarkup(id)}</code>`).join(" ");
    return `<details><summary>${escapeMarkup(reason)} (${ids.length})</summary><p>${names}</p></details>`;
  });
  return groups.join("\n");
}

function section(title: string, content: string): string {
  return content === "" ? "" : `<section>\n<h2>${title}</h2>\n${content}\n</section>`;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "" : `<ul>${items.map((item) => `<li>${item}</li>`).join("\n")}</ul>`;
}
