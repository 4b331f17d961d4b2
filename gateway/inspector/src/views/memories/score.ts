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

/** How a tier ranked. */
export interface TierRanking {
  readonly tier: string;
  readonly analyzer: string | null;
  readonly embedder: string | null;
  readonly candidates: number;
  readonly terms: readonly string[];
}

export interface ScoreProps {
  readonly score: number;
  /** Absent where the tier does not tell. */
  readonly explanation?: Explanation | undefined;
}

/** A score, and how it comes about. */
export function Score({ score, explanation }: ScoreProps): VNode {
  if (explanation === undefined) return html`<p>Score <strong>${figure(score)}</strong></p>`;
  const { relevance, rerank, importance, recency, lexical, similarity, group, terms } = explanation;
  const factors = `${figure(rerank ?? relevance)} × ${figure(importance)} × ${figure(recency)}`;
  return html`<details>
    <summary>Score <strong>${figure(score)}</strong></summary>
    <p>${rerank === undefined ? "Relevance" : "What the reranker says"} × importance × recency = ${factors}</p>
    <p>Relevance from words ${figure(lexical)}, similarity ${similarity === null ? "not compared" : figure(similarity)},
      its group ${figure(group)}</p>
    ${terms.length > 0 && html`<${Terms} terms=${terms} />`}
  </details>`;
}

/** What each tier has made of the query. */
export function Ranking({ tiers }: { readonly tiers: readonly TierRanking[] }): VNode {
  const item = ({ tier, analyzer, embedder, candidates, terms }: TierRanking) => html`<li key=${tier}>
    <strong>${tier}</strong> looked at ${candidates} for the words ${terms.join(", ") || "(none)"};
    words by ${analyzer ?? "nothing"}, vectors by ${embedder ?? "nothing"}</li>`;
  return html`<details><summary>How it was ranked</summary><ul>${tiers.map(item)}</ul></details>`;
}

function Terms({ terms }: Pick<Explanation, "terms">): VNode {
  const row = ({ term, weight, score, fields }: Explanation["terms"][number]) => html`<tr key=${term}>
    <th scope="row">${term}</th><td class="number">${figure(weight)}</td><td class="number">${figure(score)}</td>
    <td>${fields.join(", ")}</td></tr>`;
  return html`<table>
    <caption class="quiet">Words of the query that it has</caption>
    <thead><tr><th scope="col">Word</th><th scope="col">Weight</th><th scope="col">Adds</th><th scope="col">In</th></tr></thead>
    <tbody>${terms.map(row)}</tbody>
  </table>`;
}

function figure(value: number): string {
  return value.toFixed(2);
}
