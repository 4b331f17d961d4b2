import type { CauseGroup } from "./cause-groups.js";
import { clauseText } from "./clause-text.js";
import { RED_WORDS, type RedCase, reasonOf, redCases, shownCalls } from "./failure-text.js";
import { escapeMarkup, markupOf } from "./markup.js";
import type { ReportedCheck } from "./suite-report.js";

/** Renders the red checks of one cause: the first in detail, the others by name. */
export function groupArticles({ first, alike, blocked }: CauseGroup): string {
  const names = blocked.map(({ id }) => `<code>${escapeMarkup(id)}</code>`).join(" ");
  return [
    failureArticle(first),
    ...alike.map((check) => alikeArticle(check, first)),
    ...(blocked.length === 0 ? [] : [details(`blocked by this (${blocked.length})`, `<p>${names}</p>`)]),
  ].join("\n");
}

function alikeArticle({ id, level, clauses, outcome, rerun }: ReportedCheck, first: ReportedCheck): string {
  const words = RED_WORDS[outcome as keyof typeof RED_WORDS].toLowerCase();
  const link = `<a href="#${anchorOf(first.id)}">${escapeMarkup(first.id)}</a>`;
  return [
    `<article id="${anchorOf(id)}">`,
    `<h3><span class="badge ${outcome}">${words}</span> ${escapeMarkup(id)} <small>${level}</small></h3>`,
    ...clauses.map(clauseParagraph),
    `<p>The same as ${link}</p>`,
    `<p class="rerun">Run it again</p><pre>${escapeMarkup(rerun)}</pre>`,
    "</article>",
  ].join("\n");
}

/** Renders a red check: its clauses, the expected and actual values, and the command that repeats it. */
function failureArticle(check: ReportedCheck): string {
  const { id, level, clauses, outcome, known, rerun } = check;
  const words = RED_WORDS[outcome as keyof typeof RED_WORDS].toLowerCase();
  return [
    `<article id="${anchorOf(id)}">`,
    `<h3><span class="badge ${outcome}">${words}</span> ${escapeMarkup(id)} <small>${level}</small></h3>`,
    ...clauses.map(clauseParagraph),
    ...(known === undefined ? [] : [`<p class="known">Known by the baseline: ${escapeMarkup(known)}</p>`]),
    ...redCases(check).map(caseBlock),
    `<p class="rerun">Run it again</p><pre>${escapeMarkup(rerun)}</pre>`,
    "</article>",
  ].join("\n");
}

function clauseParagraph(clause: string): string {
  return `<p class="clause">${markupOf(clauseText(clause))}</p>`;
}

/** Returns the link target of a check. */
export function anchorOf(checkId: string): string {
  return escapeMarkup(`check-${checkId.replace("/", "-")}`);
}

function caseBlock(result: RedCase): string {
  const { where, script } = result;
  const calls = shownCalls(result);
  return [
    `<div class="case"><h4>tier ${where}</h4>`,
    `<dl>${foundRows(result).join("")}</dl>`,
    ...(calls.length === 0
      ? []
      : [details(`the last calls (${calls.length})`, calls.map(callBlock).join("\n"))]),
    ...(script === undefined
      ? []
      : [details("a program that shows it with the fewest requests", `<pre>${escapeMarkup(script)}</pre>`)]),
    "</div>",
  ].join("\n");
}

function foundRows({ outcome, reason, discrepancy }: RedCase): string[] {
  if (discrepancy === undefined) return [row("because", escapeMarkup(reasonOf(outcome, reason)))];
  return [
    row("checked", markupOf(discrepancy.what)),
    row("expected", escapeMarkup(discrepancy.expected)),
    row("got", escapeMarkup(discrepancy.got)),
    ...(discrepancy.sent === undefined
      ? []
      : [row("sent", `<code>${escapeMarkup(discrepancy.sent)}</code>`)]),
  ];
}

function row(name: string, content: string): string {
  return `<div class="${name.replace(" ", "-")}"><dt>${name}</dt><dd>${content}</dd></div>`;
}

function callBlock({ call, sent, got, stack = [] }: NonNullable<RedCase["calls"]>[number]): string {
  const line = (name: string, text: string) => `<dt>${name}</dt><dd><code>${escapeMarkup(text)}</code></dd>`;
  const thrownAt = stack.length === 0 ? "" : `<pre>${escapeMarkup(stack.join("\n"))}</pre>`;
  return `<div class="call"><h5>${escapeMarkup(call)}</h5><dl>${line("sent", sent)}${line("got", got)}</dl>${thrownAt}</div>`;
}

function details(title: string, content: string): string {
  return `<details><summary>${title}</summary>${content}</details>`;
}
