import type { DegradedTier, EntryBrief } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Api, Who } from "../../api.js";
import { entryParams, type Key, keyText, Tags } from "../../entry-text.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Empty, Failure, Time } from "../../notices.js";
import { hrefOf } from "../../route.js";
import { type Explanation, Ranking, Score, type TierRanking } from "./score.js";
import type { Search } from "./search.js";

interface FoundEntry extends EntryBrief {
  readonly key: Key;
  readonly tags: readonly string[];
  readonly occurred_at: number;
  readonly score?: number;
  readonly explain?: Explanation;
}

interface Page {
  readonly entries: readonly FoundEntry[];
  readonly total: number;
  readonly total_relation: "eq" | "gte";
  readonly cursor?: string;
  readonly explain?: readonly TierRanking[];
  readonly degraded?: readonly DegradedTier[];
}

export interface ResultsProps {
  readonly api: Api;
  readonly who: Who;
  readonly search: Search;
}

/** Number of entries after which no further page is loaded. */
const SHOWN_MAX = 500;

export function Results({ api, who, search }: ResultsProps): VNode {
  const first = useLoaded(
    (signal) => api.get<Page>("memories", { ...search }, signal),
    [who, JSON.stringify(search)],
  );
  const page = first.value;
  return html`<section aria-labelledby="entries" aria-busy=${first.isLoading}>
    <h2 id="entries">Entries</h2>
    <${Failure} of=${first.failure} />
    <${Degraded} tiers=${page?.degraded} />
    ${page !== undefined && html`<p class="quiet" role="status">${totalText(page)}</p>`}
    ${page?.explain !== undefined && html`<${Ranking} tiers=${page.explain} />`}
    ${
      page !== undefined &&
      page.entries.length === 0 &&
      html`<${Empty}>
      No entries match these filters. Remove a filter or choose another namespace.<//>`
    }
    ${
      page !== undefined &&
      html`<${Pages} key=${`${page.cursor} ${page.entries[0]?.key_hash}`}
      api=${api} search=${search} first=${page} />`
    }
  </section>`;
}

function Pages({
  api,
  search,
  first,
}: {
  readonly api: Api;
  readonly search: Search;
  readonly first: Page;
}): VNode {
  const [pages, setPages] = useState<readonly Page[]>([first]);
  const [failure, setFailure] = useState<Error>();
  const cursor = pages.at(-1)!.cursor;
  const entries = pages.flatMap((page) => page.entries);
  const more = () => {
    api.get<Page>("memories", { ...search, cursor }).then((page) => setPages([...pages, page]), setFailure);
  };
  return html`
    <ol>${entries.map(
      (entry) => html`<${Result} key=${`${entry.tier} ${entry.namespace} ${entry.key_hash}`}
      entry=${entry} session=${search.session} />`,
    )}</ol>
    <${Failure} of=${failure} />
    ${
      cursor !== undefined &&
      entries.length < SHOWN_MAX &&
      html`<button type="button" class="plain" onClick=${more}>
      Show more</button>`
    }
    ${entries.length >= SHOWN_MAX && html`<p class="quiet">Narrow the filters to see other entries.</p>`}`;
}

function Result({
  entry,
  session,
}: {
  readonly entry: FoundEntry;
  readonly session?: string | undefined;
}): VNode {
  const { key, tier, namespace, text, author, tags, occurred_at, score, explain } = entry;
  const href = hrefOf("memories", { ...entryParams(entry), session });
  return html`<li class="card">
    <p class="line"><a href=${href}>${keyText(key)}</a>
      <span class="quiet">${tier} · ${namespace} · ${author} · <${Time} at=${occurred_at} /></span></p>
    <p>${text}</p>
    <${Tags} tags=${tags} />
    ${score !== undefined && html`<${Score} score=${score} explanation=${explain} />`}
  </li>`;
}

function totalText({ total, total_relation }: Page): string {
  const count = total_relation === "gte" ? `at least ${total}` : String(total);
  return `${count} ${total === 1 ? "entry" : "entries"}`;
}
