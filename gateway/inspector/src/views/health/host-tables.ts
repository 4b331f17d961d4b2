import type { Health, HostHealth, Metrics } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { ratesBetween } from "./health-samples.js";
import { shownNumber } from "./plot.js";

export interface HostTablesProps {
  readonly samples: readonly Health[];
  readonly host: HostHealth;
}

/** Shows the latest metrics of a host: operations, tiers, and all others. */
export function HostTables(props: HostTablesProps): VNode {
  const { host } = props;
  return html`<h2>Operations</h2><${Operations} ...${props} />
    <h2>Tiers</h2><${Tiers} tiers=${host.tiers} />
    <h2>All metrics</h2>
    <${AllFigures} title="Process" figures=${{ ...host.process, ...inFlight(host) }} />
    <${AllFigures} title="Dropped and rejected" figures=${{ ...host.dropped, ...host.refused }} />
    ${Object.entries(host.tiers).map(
      ([tier, figures]) => html`<${AllFigures} key=${tier} title=${`Tier ${tier}`} figures=${figures} />`,
    )}`;
}

function inFlight({ in_flight }: HostHealth): Metrics {
  return Object.fromEntries(Object.entries(in_flight).map(([name, value]) => [`in_flight_${name}`, value]));
}

function Operations({ samples, host }: HostTablesProps): VNode {
  const rates = new Map(
    ratesBetween(samples.at(-2), samples.at(-1)!, host.id).map((rate) => [rate.name, rate]),
  );
  const row = ({ name, requests, errors, total_ms }: HostHealth["endpoints"][number]) => {
    const rate = rates.get(name);
    return html`<tr key=${name} data-operation=${name}>
      <th scope="row">${name}</th>
      <td class="number">${shownNumber(rate?.requestsPerS)}</td>
      <td class="number">${shownNumber(rate?.errorsPerS)}</td>
      <td class="number">${shownNumber(requests)}</td>
      <td class="number">${shownNumber(errors)}</td>
      <td class="number">${shownNumber(requests === 0 ? null : total_ms / requests)}</td></tr>`;
  };
  const heads = [
    "Operation",
    "Requests per second",
    "Errors per second",
    "Requests",
    "Errors",
    "Mean latency, ms",
  ];
  return html`<${Scrolling} label="Operations"><table>
    <thead><tr>${heads.map((head, n) => html`<th scope="col" class=${n > 0 ? "number" : undefined}>${head}</th>`)}</tr></thead>
    <tbody>${host.endpoints.map(row)}</tbody></table><//>`;
}

/** Columns of the tier table. Each shows the first of its metrics that the tier has. */
const COLUMNS: readonly (readonly [string, readonly string[]])[] = [
  ["Running", ["calls_running"]],
  ["Waiting", ["calls_waiting"]],
  ["Entries", ["lru_entries", "quota_entries"]],
  ["Namespaces in RAM", ["partitions"]],
  ["Bytes in RAM", ["lru_bytes", "partition_bytes"]],
  ["Backlog entries", ["backlog_rows"]],
  ["Backlog bytes", ["backlog_bytes"]],
  ["Log bytes", ["log_bytes"]],
];

function Tiers({ tiers }: { readonly tiers: HostHealth["tiers"] }): VNode {
  const row = ([tier, figures]: readonly [string, Metrics]) => html`<tr key=${tier} data-tier=${tier}>
    <th scope="row">${tier}</th>
    <td>${figures.plugin}</td>
    <td>${figures.serving === false ? "no" : "yes"}</td>
    ${COLUMNS.map(([, names]) => html`<td class="number">${figureOf(figures, names)}</td>`)}
    <td><${Reindex} tier=${tier} figures=${figures} /></td></tr>`;
  return html`<${Scrolling} label="Tiers"><table>
    <thead><tr><th scope="col">Tier</th><th scope="col">Plugin</th><th scope="col">Accepts writes</th>
      ${COLUMNS.map(([title]) => html`<th scope="col" class="number">${title}</th>`)}<th scope="col">Reindexing</th></tr></thead>
    <tbody>${Object.entries(tiers).map(row)}</tbody></table><//>`;
}

function figureOf(figures: Metrics, names: readonly string[]): string {
  const value = names.map((name) => figures[name]).find((figure) => typeof figure === "number");
  return shownNumber(value as number | undefined);
}

/** Shows how much of a tier is reindexed for the current embedder and analyzer. */
function Reindex({ tier, figures }: { readonly tier: string; readonly figures: Metrics }): VNode | string {
  const { reindex_state: state, reindex_done: done, reindex_total: total } = figures;
  if (typeof done !== "number" || typeof total !== "number") return "–";
  if (state === "done") return "done";
  const label = `${tier}: reindexing`;
  return html`<progress value=${done} max=${Math.max(1, total)} aria-label=${label}></progress>
    ${done} of ${total}, ${state}`;
}

function AllFigures({ title, figures }: { readonly title: string; readonly figures: Metrics }): VNode | null {
  const entries = Object.entries(figures);
  if (entries.length === 0) return null;
  const row = ([name, value]: readonly [string, Metrics[string]]) => html`<tr key=${name}>
    <th scope="row">${name}</th><td>${typeof value === "number" ? shownNumber(value) : String(value)}</td></tr>`;
  return html`<details><summary>${title}</summary>
    <table><tbody>${entries.map(row)}</tbody></table></details>`;
}

/** Shows a wide table that scrolls on its own, also with the keyboard. */
export function Scrolling({
  label,
  children,
}: {
  readonly label: string;
  readonly children?: unknown;
}): VNode {
  return html`<div class="wide" role="region" aria-label=${label} tabindex="0">${children}</div>`;
}
