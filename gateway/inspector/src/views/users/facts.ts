import type { UserEntry } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { now } from "../../clock.js";
import { entryParams, keyText } from "../../entry-text.js";
import { counted } from "../../figures.js";
import { Time } from "../../notices.js";
import { hrefOf } from "../../route.js";
import { Origin } from "./origin.js";

/** Shows the current facts first, and then those that no longer hold. */
export function Facts({ entries }: { readonly entries: readonly UserEntry[] }): VNode {
  const at = now();
  const earlier = entries.filter((entry) => isOutdated(entry, at));
  const current = entries
    .filter((entry) => !isOutdated(entry, at))
    .toSorted((a, b) => sinceOf(b) - sinceOf(a));
  const outdated = earlier.length > 0 ? `, ${earlier.length.toLocaleString()} outdated` : "";
  return html`<section class="panel" aria-labelledby="kind-fact" data-kind="fact">
    <h3 id="kind-fact">Facts <span class="count quiet">${counted(entries.length, "fact")}${outdated}</span></h3>
    <ul class="rows" data-state="current">${current.map((entry) => html`<${Fact} entry=${entry} />`)}</ul>
    ${
      earlier.length > 0 &&
      html`<h4>Earlier</h4>
      <ul class="rows" data-state="earlier">${earlier.map((entry) => html`<${Fact} entry=${entry} isEarlier />`)}</ul>`
    }</section>`;
}

function Fact({
  entry,
  isEarlier = false,
}: {
  readonly entry: UserEntry;
  readonly isEarlier?: boolean;
}): VNode {
  const { text, key, valid_until: until, tier, namespace } = entry;
  const end = until === undefined ? "replaced" : html`until <${Time} at=${until} isShort />`;
  return html`<li><a href=${hrefOf("memories", entryParams(entry))}>${text || keyText(key)}</a>
    <span class="quiet">since <${Time} at=${sinceOf(entry)} isShort />${isEarlier && html`, ${end}`} ·${" "}
      <${Origin} entry=${entry} /> · ${tier} · ${namespace}</span></li>`;
}

function sinceOf({ since, created }: UserEntry): number {
  return since ?? created;
}

function isOutdated({ valid_until: until, superseded }: UserEntry, at: number): boolean {
  return superseded === true || (until !== undefined && until <= at);
}
