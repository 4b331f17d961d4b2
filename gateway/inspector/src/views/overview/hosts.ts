import type { Health, HostHealth } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { countText } from "../../figures.js";
import type { Loaded } from "../../loaded.js";
import { Empty, Failure, Loading } from "../../notices.js";
import { hrefOf } from "../../route.js";

export interface Queue {
  readonly waiting: number | undefined;
  /** Entries that are not in storage yet. Undefined without a durable tier. */
  readonly backlog: number | undefined;
}

/** Adds the queues of hosts up. */
export function queueOf(hosts: readonly HostHealth[]): Queue {
  return { waiting: figureOf(hosts, "calls_waiting"), backlog: figureOf(hosts, "backlog_rows") };
}

/** Returns undefined if no tier reports the figure. */
function figureOf(hosts: readonly HostHealth[], name: string): number | undefined {
  const tiers = hosts.flatMap((host) => Object.values(host.tiers));
  const figures = tiers.map((tier) => tier[name]).filter((figure) => typeof figure === "number");
  return figures.length === 0 ? undefined : figures.reduce((sum, figure) => sum + figure, 0);
}

/** Shows the hosts of the tenant. */
export function Hosts({ health: { value, failure, isLoading } }: { readonly health: Loaded<Health> }): VNode {
  return html`<section class="panel" aria-labelledby="hosts">
    <div class="panel-head"><h2 id="hosts">Hosts</h2><a href=${hrefOf("health")}>Health</a></div>
    <${Failure} of=${failure} />
    ${isLoading && value === undefined && html`<${Loading} />`}
    ${value?.hosts.length === 0 && html`<${Empty}>No host of this tenant answers.<//>`}
    <ul class="rows">${value?.hosts.map(hostRow)}</ul>
  </section>`;
}

function hostRow(host: HostHealth): VNode {
  const { id, state, version, endpoints } = host;
  const requests = endpoints.reduce((sum, endpoint) => sum + endpoint.requests, 0);
  const errors = endpoints.reduce((sum, endpoint) => sum + endpoint.errors, 0);
  const { waiting } = queueOf([host]);
  return html`<li key=${id}><a href=${hrefOf("health", { host: id })}>
      <span class=${`dot ${state === "serving" ? "good" : "poor"}`}></span>${state}</a>
    <span class="quiet">version ${version}, ${countText(requests)} requests, ${countText(errors)} errors,${" "}
      ${countText(waiting)} waiting</span></li>`;
}
