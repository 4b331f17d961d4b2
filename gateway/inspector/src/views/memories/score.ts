import { html } from "htm/preact";
import type { VNode } from "preact";
import { type Explanation, type ScorePart, scoreParts } from "./score-parts.js";

export type { Explanation };

/** How a tier ranked its entries. */
export interface TierRanking {
  readonly tier: string;
  readonly analyzer: string | null;
  readonly embedder: string | null;
  readonly candidates: number;
  readonly terms: readonly string[];
}

export interface ScoreProps {
  readonly score: number;
  /** Absent if the tier does not explain its ranking. */
  readonly explanation?: Explanation | undefined;
}

/** Shows a score as a bar that is divided into its parts. */
function ScoreBar({ score, explanation }: ScoreProps): VNode {
  const parts = explanation === undefined ? [] : scoreParts(explanation);
  return html`<span class="score"><strong>${figure(score)}</strong>
    ${parts.length > 0 && html`<span class="stack" aria-hidden="true">${parts.map(segment)}</span>`}</span>`;
}

function segment({ name, size, isLost }: ScorePart): VNode {
  return html`<span key=${name} class=${`part-${name}${isLost ? " lost" : ""}`} style=${`width:${100 * size}%`}></span>`;
}

/** Shows a score with its parts in words. */
export function Score({ score, explanation }: ScoreProps): VNode {
  if (explanation === undefined) return html`<p>Score <strong>${figure(score)}</strong></p>`;
  const { terms } = explanation;
  const line = ({ name, text, size, isLost }: ScorePart) => html`<li key=${name}>
    <span class=${`key part-${name}${isLost ? " lost" : ""}`}></span>${text}: ${isLost ? "−" : "+"}${figure(size)}</li>`;
  return html`<details>
    <summary><span class="label">Score</span> <${ScoreBar} score=${score} explanation=${explanation} /></summary>
    <ul class="score-parts">${scoreParts(explanation).map(line)}</ul>
    ${terms.length > 0 && html`<${Terms} terms=${terms} />`}
  </details>`;
}

/** Shows how each tier processed the query. */
export function Ranking({ tiers }: { readonly tiers: readonly TierRanking[] }): VNode {
  const item = ({ tier, analyzer, embedder, candidates, terms }: TierRanking) => html`<li key=${tier}>
    <strong>${tier}</strong>: ${candidates} entries scanned. Terms: ${terms.join(", ") || "none"}.
    Analyzer: ${analyzer ?? "none"}. Embedder: ${embedder ?? "none"}.</li>`;
  return html`<details><summary>Ranking</summary><ul>${tiers.map(item)}</ul></details>`;
}

function Terms({ terms }: Pick<Explanation, "terms">): VNode {
  const row = ({ term, weight, score, fields }: Explanation["terms"][number]) => html`<tr key=${term}>
    <th scope="row">${term}</th><td class="number">${figure(weight)}</td><td class="number">${figure(score)}</td>
    <td>${fields.join(", ")}</td></tr>`;
  return html`<table>
    <caption class="quiet">Matching query terms</caption>
    <thead><tr><th scope="col">Term</th><th scope="col" class="number">Weight</th><th scope="col" class="number">Score</th><th scope="col">Fields</th></tr></thead>
    <tbody>${terms.map(row)}</tbody>
  </table>`;
}

function figure(value: number): string {
  return value.toFixed(2);
}
