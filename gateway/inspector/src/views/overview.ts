import type { Health, ModelBudgets, Overview, RecentChange } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { now } from "../clock.js";
import { entryParams, keyText } from "../entry-text.js";
import { agoText, counted } from "../figures.js";
import { useLoaded } from "../loaded.js";
import { Empty, Failure, Loading } from "../notices.js";
import { hrefOf } from "../route.js";
import type { PageProps, View } from "../view.js";
import { Bars } from "./overview/bars.js";
import { GrowthChart } from "./overview/growth-chart.js";
import { Hosts } from "./overview/hosts.js";
import { KnownAgents } from "./overview/known-agents.js";
import { Spending } from "./overview/spending.js";
import { Tiles } from "./overview/tiles.js";

const RANGES: Readonly<Record<string, string>> = { day: "24 hours", week: "7 days", month: "30 days" };
const RECENT_MAX = 6;

/** Shows figures about all memory of the chosen agent or tenant. Each links to its view. */
function Page({ api, who, route }: PageProps): VNode {
  const range = route.params.get("range") ?? "week";
  const zone = new Date(1_000 * now()).getTimezoneOffset();
  const overview = useLoaded(
    (signal) => api.get<Overview>("overview", { range, zone }, signal),
    [api, range],
  );
  const health = useLoaded((signal) => api.get<Health>("health", {}, signal), [api]);
  const budgets = useLoaded((signal) => api.get<ModelBudgets>("budgets", {}, signal), [api]);
  const { value } = overview;
  const isLoading = overview.isLoading && value === undefined;
  return html`<p class="lead">${who.agent === "" ? `Memory of ${agentsText(value)}` : `Memory of ${who.agent}`}
      <span class="quiet"> in tenant ${who.tenant}</span></p>
    <${Failure} of=${overview.failure} />
    <div aria-busy=${overview.isLoading || health.isLoading || budgets.isLoading} class="overview">
      <${Tiles} overview=${value} health=${health} budgets=${budgets} agent=${who.agent} />
      <section class="panel wide-panel" aria-labelledby="growth">
        <div class="panel-head"><h2 id="growth">Growth</h2><${Ranges} range=${range} route=${route} /></div>
        ${isLoading && html`<${Loading} />`}
        ${value !== undefined && html`<${GrowthChart} growth=${value.growth} />`}
      </section>
      <${Bars} id="tiers" title="Tiers" isLoading=${isLoading} items=${value?.tiers.map(
        ({ tier, entries }) => ({
          ...{ name: tier, count: entries, color: `tier-${tier}` },
          href: hrefOf("memories", { tier, namespace: "**" }),
        }),
      )} />
      <${Bars} id="kinds" title="Kinds of records" items=${kindsOf(value)}
        isLoading=${isLoading} isUnknown=${value?.kinds === null} />
      <${Bars} id="largest" title="Largest namespaces" items=${value?.largest?.map(({ name, entries }) => ({
        ...{ name, count: entries },
        href: hrefOf("memories", { namespace: `${name}/**` }),
      }))} isLoading=${isLoading} isUnknown=${value?.largest === null} />
      <${Recent} api=${api} who=${who} />
      <${KnownAgents} api=${api} />
      <${Hosts} health=${health} />
      <${Spending} budgets=${budgets} agent=${who.agent} />
    </div>`;
}

function agentsText(overview: Overview | undefined): string {
  if (overview === undefined) return "all known agents";
  return overview.agents === null
    ? "more agents than can be counted"
    : counted(overview.agents, "known agent");
}

function Ranges({ range, route }: Pick<PageProps, "route"> & { readonly range: string }): VNode {
  const link = ([name, text]: readonly [string, string]) => html`<li key=${name}>
    <a href=${route.href({ range: name })} aria-current=${name === range ? "true" : undefined}>${text}</a></li>`;
  return html`<ul class="segments" aria-label="Time range">${Object.entries(RANGES).map(link)}</ul>`;
}

/** Returns the kinds of records, and the entries that are no records if their number is known. */
function kindsOf(overview: Overview | undefined) {
  if (overview?.kinds == null) return undefined;
  const kinds = overview.kinds.map(({ kind, entries }) => ({
    ...{ name: kind, count: entries },
    href: hrefOf("memories", { kind, namespace: "**" }),
  }));
  const counts = overview.tiers.map(({ entries }) => entries);
  if (counts.includes(null)) return kinds;
  const records = overview.kinds.reduce((sum, { entries }) => sum + entries, 0);
  const others = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) - records;
  const href = hrefOf("memories", { kind: "-", namespace: "**" });
  return others > 0 ? [...kinds, { name: "other entries", count: others, href }] : kinds;
}

function Recent({ api, who }: Pick<PageProps, "api" | "who">): VNode {
  const { value, failure, isLoading } = useLoaded(
    (signal) => api.get<{ readonly changes: readonly RecentChange[] }>("recent", {}, signal),
    [api],
  );
  const item = (
    change: RecentChange,
  ) => html`<li key=${`${change.tier} ${change.namespace} ${change.key_hash}`}>
    <a href=${hrefOf("memories", entryParams(change))}>${change.text || keyText(change.key)}</a>
    <span class="quiet">${change.author}, ${agoText(change.at, now())}</span></li>`;
  return html`<section class="panel" aria-labelledby="recent">
    <div class="panel-head"><h2 id="recent">Recent activity</h2><a href=${hrefOf("live")}>Live</a></div>
    <${Failure} of=${failure} />
    ${isLoading && value === undefined && html`<${Loading} />`}
    ${who.agent === "" && html`<p class="quiet">Only entries that agents share. Choose an agent to see its own.</p>`}
    ${value?.changes.length === 0 && html`<${Empty}>${who.agent === "" ? "No shared entries yet." : "No entries yet."}<//>`}
    <ol class="rows">${value?.changes.slice(0, RECENT_MAX).map(item)}</ol>
  </section>`;
}

export const overviewView: View = { path: "overview", title: "Overview", Page };
