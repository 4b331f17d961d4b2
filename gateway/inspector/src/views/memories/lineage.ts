import type { EntryBrief } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Entry } from "./entry.js";

export interface LineageProps {
  readonly entry: Entry;
  readonly sources: readonly EntryBrief[];
  readonly derived: readonly EntryBrief[];
  readonly derived_truncated: boolean;
  readonly hrefOf: (entry: EntryBrief) => string;
}

/** Draws where an entry comes from: its sources above it, and the entries derived from it below. */
export function Lineage({ entry, sources, derived, derived_truncated, hrefOf }: LineageProps): VNode {
  const node = (role: "source" | "derived") => (other: EntryBrief) => {
    const { tier, namespace, key_hash, text } = other;
    return html`<li key=${`${role} ${tier} ${namespace} ${key_hash}`} class=${role}>
      <a href=${hrefOf(other)}>${text || key_hash}</a>
      <span class="quiet">${role} · ${tier} · ${namespace}</span></li>`;
  };
  // A key may exist in several places.
  const found = new Set(sources.map(({ key_hash }) => key_hash));
  const missing = (entry.sources ?? []).filter((hash) => !found.has(hash)).length;
  return html`<h2>Lineage</h2>
    <ol class="lineage">${sources.map(node("source"))}
      <li class="self"><strong>This entry</strong> <span class="quiet">${selfText(entry.sources?.length ?? 0, missing)}</span></li>
      ${derived.map(node("derived"))}</ol>
    ${derived.length === 0 && html`<p class="quiet">No entry was derived from this entry.</p>`}
    ${derived_truncated && html`<p class="quiet">Not all derived entries are shown.</p>`}`;
}

function selfText(named: number, missing: number): string {
  if (named === 0) return "This entry names no sources.";
  return missing > 0 ? `${missing} of its sources cannot be read.` : "";
}
