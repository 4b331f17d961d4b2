import { html } from "htm/preact";
import type { VNode } from "preact";

export interface Explanation {
  readonly terms: readonly {
    readonly term: string;
    readonly weight: number;
    readonly score: number;
    readonly fields: readonly string[];
  }[];
  readonly lexical: number;
  readonly similarity: number | null;
  readonly group: number;
  readonly relevance: number;
  readonly importance: number;
  readonly recency: number;
  readonly rerank?: number;
}

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

/** Shows a score and its parts. */
export function Score({ score, explanation }: ScoreProps): VNode {
  if (explanation === undefined) return html`<p>Score <strong>${figure(score)}</strong></p>`;
  const { relevance, rerank, importance, recency, lexical, similarity, group, terms } = explanation;
  const factors = `${figure(rerank ?? relevance)} × ${figure(importance)} × ${figure(recency)}`;
  return html`<details>
    <summary>Score <strong>${figure(score)}</strong></summary>
    <p>${rerank === undefined ? "Relevance" : "Reranker score"} × importance × recency = ${factors}</p>
    <p>Relevance: text ${figure(lexical)}, similarity ${similarity === null ? "not compared" : figure(similarity)},
      group ${figure(group)}</p>
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
    <thead><tr><th scope="col">Term</th><th scope="col">Weight</th><th scope="col">Score</th><th scope="col">Fields</th></tr></thead>
    <tbody>${terms.map(row)}</tbody>
  </table>`;
}

function figure(value: number): string {
  return value.toFixed(2);
}
