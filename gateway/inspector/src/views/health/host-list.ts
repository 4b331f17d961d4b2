import type { HostHealth } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { PageProps } from "../../view.js";
import { figuresOf, nameOf } from "../host-figures.js";
import { Scrolling } from "./host-tables.js";
import { shownNumber } from "./plot.js";

export interface HostListProps {
  readonly hosts: readonly HostHealth[];
  readonly href: PageProps["route"]["href"];
}

/** Compares hosts and adds them up. The name of a host leads to its plots and tables. */
export function HostList({ hosts, href }: HostListProps): VNode {
  const row = (host: HostHealth) => html`<tr key=${host.id} data-hosts=${nameOf(host)}>
    <th scope="row"><a href=${href({ host: host.id })}>${nameOf(host)}</a></th>
    <td>${host.state}</td><td>${Object.keys(host.tiers).join(", ")}</td>${figureCells([host])}</tr>`;
  const figures = ["Shards", "Requests", "Errors", "Waiting", "Backlog entries"];
  return html`<h2>Hosts</h2><${Scrolling} label="Hosts"><table>
    <thead><tr><th scope="col">Host</th><th scope="col">State</th><th scope="col">Tiers</th>
      ${figures.map((title) => html`<th scope="col" class="number">${title}</th>`)}</tr></thead>
    <tbody>${hosts.map(row)}</tbody>
    <tfoot><tr data-hosts="all"><th scope="row">All hosts</th><td></td><td></td>${figureCells(hosts)}</tr></tfoot>
  </table><//>`;
}

function figureCells(hosts: readonly HostHealth[]): VNode[] {
  const { shards, requests, errors, waiting, backlog } = figuresOf(hosts);
  return [shards, requests, errors, waiting, backlog].map(
    (figure, n) => html`<td key=${n} class="number">${shownNumber(figure)}</td>`,
  );
}
