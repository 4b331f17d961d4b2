import type { DegradedTier, EntryBrief } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Api, Who } from "../../api.js";
import { now } from "../../clock.js";
import { entryParams, type Key, keyText, Tags } from "../../entry-text.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Empty, Failure, Time } from "../../notices.js";
import type { Route } from "../../route.js";
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
  readonly approximate?: readonly string[];
  readonly cursor?: string;
  /** True if not all namespaces were searched. */
  readonly truncated?: boolean;
  readonly explain?: readonly TierRanking[];
  readonly degraded?: readonly DegradedTier[];
}

export interface ResultsProps {
  readonly api: Api;
  readonly who: Who;
  readonly search: Search;
  readonly density: "table" | "cards";
  readonly route: Route;
  /** Changes when entries were forgotten. The list is then read again. */
  readonly turn: number;
}

/** Number of entries after which no further page is loaded. */
const SHOWN_MAX = 500;

export function Results(props: ResultsProps): VNode {
  const { api, who, search, turn } = props;
  const first = useLoaded(
    (signal) => api.get<Page>("memories", { ...search }, signal),
    [who, JSON.stringify(search), turn],
  );
  const page = first.value;
  return html`<section aria-labelledby="entries" aria-busy=${first.isLoading} class="results">
    <div class="panel-head"><h2 id="entries">Entries</h2>
      ${page !== undefined && html`<p class="quiet" role="status">${totalText(page)}</p>`}</div>
    <${Failure} of=${first.failure} />
    <${Degraded} tiers=${page?.degraded} />
    ${page?.approximate !== undefined && html`<p class="quiet">An index chose the entries and may have missed some.</p>`}
    ${page?.truncated && html`<p class="quiet">There are too many namespaces to search all of them. Choose one.</p>`}
    ${page?.explain !== undefined && html`<${Ranking} tiers=${page.explain} />`}
    ${
      page !== undefined &&
      page.entries.length === 0 &&
      html`<${Empty}>${nothing(who.agent)} Remove a filter or choose another namespace.<//>`
    }
    ${page !== undefined && html`<${Pages} ...${props} first=${page} />`}
  </section>`;
}

interface LaterPages {
  readonly first: Page;
  readonly pages: readonly Page[];
  readonly failure?: Error;
}

function Pages({ first, ...props }: ResultsProps & { readonly first: Page }): VNode {
  const { api, search, density } = props;
  const [later, setLater] = useState<LaterPages>({ first, pages: [] });
  // Pages after an earlier first page are dropped.
  const { pages, failure }: LaterPages = later.first === first ? later : { first, pages: [] };
  const cursor = (pages.at(-1) ?? first).cursor;
  const entries = [first, ...pages].flatMap((page) => page.entries);
  const more = () => {
    api.get<Page>("memories", { ...search, cursor }).then(
      (page) => setLater({ first, pages: [...pages, page] }),
      (error: Error) => setLater({ first, pages, failure: error }),
    );
  };
  const List = density === "table" ? Table : Cards;
  return html`
    ${entries.length > 0 && html`<${List} entries=${entries} ...${props} />`}
    <${Failure} of=${failure} />
    ${
      cursor !== undefined &&
      entries.length < SHOWN_MAX &&
      html`<p><button type="button" class="plain" onClick=${more}>Show more</button></p>`
    }
    ${entries.length >= SHOWN_MAX && html`<p class="quiet">Narrow the filters to see other entries.</p>`}`;
}

interface ListProps extends Pick<ResultsProps, "search" | "route"> {
  readonly entries: readonly FoundEntry[];
}

function Table({ entries, search, route }: ListProps): VNode {
  const isRanked = entries.some(({ score }) => score !== undefined);
  const row = (entry: FoundEntry) => {
    const { tier, namespace, author, tags, occurred_at, score, explain } = entry;
    return html`<tr key=${idOf(entry)} data-entry=${keyText(entry.key)} class=${classOf(entry, route)}>
      <th scope="row"><${Name} entry=${entry} search=${search} route=${route} /></th>
      ${isRanked && html`<td><${Score} score=${score ?? 0} explanation=${explain} /></td>`}
      <td><span class=${`tag tier-${tier}`}>${tier}</span></td>
      <td class="minor">${namespace}</td><td class="minor">${author}</td>
      <td class="minor"><${Tags} tags=${tags} /></td><td class="when"><${Time} at=${occurred_at} isShort /></td></tr>`;
  };
  return html`<div class="wide" role="region" aria-label="Table of entries" tabindex="0"><table class="entries">
    <thead><tr><th scope="col">Entry</th>${isRanked && html`<th scope="col">Score</th>`}<th scope="col">Tier</th>
      <th scope="col" class="minor">Namespace</th><th scope="col" class="minor">Author</th>
      <th scope="col" class="minor">Tags</th><th scope="col" class="when">Occurred</th></tr></thead>
    <tbody>${entries.map(row)}</tbody></table></div>`;
}

function Cards({ entries, search, route }: ListProps): VNode {
  const card = (entry: FoundEntry) => {
    const { tier, namespace, author, tags, occurred_at, score, explain } = entry;
    return html`<li class=${`card ${classOf(entry, route)}`} key=${idOf(entry)} data-entry=${keyText(entry.key)}>
      <${Name} entry=${entry} search=${search} route=${route} />
      <p class="quiet">${tier} · ${namespace} · ${author} · <${Time} at=${occurred_at} /></p>
      <${Tags} tags=${tags} />
      ${score !== undefined && html`<${Score} score=${score} explanation=${explain} />`}
    </li>`;
  };
  return html`<ol class="cards">${entries.map(card)}</ol>`;
}

/** Shows the text of an entry as link, and its key below. */
function Name({ entry, search, route }: Omit<ListProps, "entries"> & { readonly entry: FoundEntry }): VNode {
  const key = keyText(entry.key);
  return html`<a class="name" href=${hrefTo(entry, search, route)} aria-current=${isShown(entry, route) ? "true" : undefined}>
    ${entry.text || key}</a>
    ${isOutdated(entry) && html`<span class="tag">outdated</span> `}
    ${entry.text !== "" && html`<small class="quiet">${key}</small>`}`;
}

function classOf(entry: FoundEntry, route: Route): string {
  return [isShown(entry, route) ? "shown" : "", isOutdated(entry) ? "outdated" : ""].join(" ").trim();
}

function isOutdated({ superseded = false, valid_until }: FoundEntry): boolean {
  return superseded || (valid_until !== undefined && valid_until <= now());
}

function idOf({ tier, namespace, key_hash }: FoundEntry): string {
  return `${tier} ${namespace} ${key_hash}`;
}

function isShown(entry: FoundEntry, { params }: Route): boolean {
  const { entry: key, at } = entryParams(entry);
  return params.get("entry") === key && params.get("at") === at;
}

/** Opens the entry beside the same list. */
function hrefTo(entry: FoundEntry, { session }: Search, route: Route): string {
  return route.href({ ...Object.fromEntries(route.params), ...entryParams(entry), session });
}

function totalText({ total, total_relation }: Page): string {
  const count = total_relation === "gte" ? `at least ${total}` : String(total);
  return `${count} ${total === 1 ? "entry" : "entries"}`;
}

function nothing(agent: string): string {
  return agent === ""
    ? "The agents share no entries that match. Choose an agent to see its own entries."
    : "No entries match these filters.";
}
