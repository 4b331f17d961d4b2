import type { Health, HostHealth } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Loaded } from "../../loaded.js";
import { Empty, Failure, Loading } from "../../notices.js";
import { hrefOf } from "../../route.js";
import { figuresOf, figuresText } from "../host-figures.js";

/** Shows each host of the tenant, and several hosts also together. */
export function Hosts({ health: { value, failure, isLoading } }: { readonly health: Loaded<Health> }): VNode {
  const hosts = value?.hosts ?? [];
  return html`<section class="panel" aria-labelledby="hosts">
    <div class="panel-head"><h2 id="hosts">Hosts</h2><a href=${hrefOf("health")}>Health</a></div>
    <${Failure} of=${failure} />
    ${isLoading && value === undefined && html`<${Loading} />`}
    ${value?.hosts.length === 0 && html`<${Empty}>No host of this tenant answers.<//>`}
    <ul class="rows">${hosts.map(hostRow)}${
      hosts.length > 1 &&
      html`<li key="" data-hosts="all">All hosts
        <span class="quiet">${figuresText(figuresOf(hosts))}</span></li>`
    }</ul>
  </section>`;
}

function hostRow(host: HostHealth): VNode {
  const { id, name, state, version, tiers } = host;
  return html`<li key=${id} data-hosts=${name ?? id}><a href=${hrefOf("health", { host: id })}>
      <span class=${`dot ${state === "serving" ? "good" : "poor"}`}></span>${name !== undefined && `${name}: `}${state}</a>
    <span class="quiet">version ${version}, ${figuresText(figuresOf([host]))}</span>
    <span class="quiet">${Object.keys(tiers).join(", ")}</span></li>`;
}
