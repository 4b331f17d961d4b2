import { html } from "htm/preact";
import type { VNode } from "preact";
import { countText } from "../../figures.js";
import { Empty, Loading } from "../../notices.js";

export interface Bar {
  readonly name: string;
  /** Null: unknown. */
  readonly count: number | null;
  readonly href: string;
  /** Color of the style sheet. */
  readonly color?: string;
}

export interface BarsProps {
  readonly id: string;
  readonly title: string;
  /** Absent while loading, and if unknown. */
  readonly items?: readonly Bar[] | undefined;
  readonly isUnknown?: boolean;
  readonly isLoading?: boolean;
}

/** Compares counts as bars. Each name is a link. */
export function Bars({ id, title, items, isUnknown = false, isLoading = false }: BarsProps): VNode {
  const most = Math.max(1, ...(items ?? []).map(({ count }) => count ?? 0));
  const row = ({ name, count, href, color = "accent" }: Bar) => html`<li key=${name} data-bar=${name}>
    <a href=${href}>${name}</a><span class="number">${countText(count)}</span>
    <span class="bar"><span style=${`width:${(100 * (count ?? 0)) / most}%;background:var(--${color})`}></span></span></li>`;
  return html`<section class="panel" aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    ${isLoading && html`<${Loading} />`}
    ${items?.length === 0 && html`<${Empty}>None yet.<//>`}
    ${isUnknown && html`<p class="quiet">Unknown: there are too many, or a tier does not answer.</p>`}
    <ul class="bars">${items?.map(row)}</ul>
  </section>`;
}
