import { isRed } from "../run/outcome.js";
import type { ClauseRow } from "./clause-rows.js";
import { anchorOf } from "./html-failure.js";
import { escapeMarkup, markupOf } from "./markup.js";
import type { ReportedCheck } from "./suite-report.js";

/**
 * Renders a row for each clause with its text and the results of its checks. Clauses without an applicable
 * check have a separate table.
 */
export function clauseTables(rows: readonly ClauseRow[]): string {
  const isUnchecked = ({ outcome }: ClauseRow) => outcome === undefined || outcome === "not-applicable";
  const unchecked = rows.filter(isUnchecked);
  const summary = `<summary>Clauses without an applicable check in this run (${unchecked.length})</summary>`;
  return [
    table(rows.filter((row) => !isUnchecked(row))),
    ...(unchecked.length === 0 ? [] : [`<details>${summary}${table(unchecked)}</details>`]),
  ].join("\n");
}

function table(rows: readonly ClauseRow[]): string {
  return [
    '<div class="scroll"><table>',
    "<thead><tr><th>clause</th><th>level</th><th>result</th><th>text and checks</th></tr></thead>",
    `<tbody>${rows.map(row).join("\n")}</tbody>`,
    "</table></div>",
  ].join("\n");
}

function row({ id, level, text, outcome, note, checks }: ClauseRow): string {
  const result =
    outcome === undefined
      ? '<span class="badge none">no check</span>'
      : `<span class="badge ${outcome}">${outcome}</span>`;
  const links = checks.map(checkLink).join(" ");
  const below = note === "" ? links : `<em>${markupOf(note)}</em>`;
  return [
    `<tr><th scope="row">${escapeMarkup(id)}</th><td>${level}</td><td>${result}</td>`,
    `<td>${markupOf(text)}<div class="checks">${below}</div></td></tr>`,
  ].join("");
}

function checkLink({ id, outcome }: ReportedCheck): string {
  const name = `<code class="${outcome}">${escapeMarkup(id)}</code>`;
  return isRed(outcome) ? `<a href="#${anchorOf(id)}">${name}</a>` : name;
}
