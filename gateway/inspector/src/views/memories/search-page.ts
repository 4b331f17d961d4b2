import type { DegradedTier } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLoaded } from "../../loaded.js";
import { Degraded, Failure } from "../../notices.js";
import { Picker } from "../../picker.js";
import type { PageProps } from "../../view.js";
import { type Namespace, namespaceChoices } from "./namespace-choices.js";
import { Results } from "./results.js";
import { ALL_NAMESPACES, type Search, searchOf } from "./search.js";
import { SearchBox } from "./search-box.js";

interface Namespaces {
  readonly items: readonly Namespace[];
  readonly truncated: boolean;
  readonly degraded?: readonly DegradedTier[];
}

const ALL = "All namespaces";
const DENSITIES = ["table", "cards"] as const;

/** Shows the search, and the entries that match it. */
export function SearchPage({ api, who, route, turn }: PageProps & { readonly turn: number }): VNode {
  const search = searchOf(route.params);
  const { namespace, tier, session } = search;
  const density = route.params.get("density") === "cards" ? "cards" : "table";
  const namespaces = useLoaded(
    (signal) => api.get<Namespaces>("namespaces", { tier, session }, signal),
    [who, tier, session],
  );
  const hrefOf = (changed: Search) => route.href({ ...changed, density: densityParam(density) });
  const inNamespace = (path: string) => hrefOf({ ...search, namespace: path });
  const choices = namespaceChoices(namespaces.value?.items ?? [], inNamespace);
  const note = namespaces.value?.truncated ? "Not all namespaces are listed. Type one." : undefined;
  return html`
    <${SearchBox} key=${JSON.stringify(search)} api=${api} search=${search} hrefOf=${hrefOf} />
    <div class="toolbar">
      <${Picker} label="Namespace" chosen=${namespace === ALL_NAMESPACES ? ALL : namespace.replace(/\/\*\*$/, "")} note=${note}
        hrefOf=${(path: string) => inNamespace(path)}
        choices=${[{ name: ALL, href: inNamespace(ALL_NAMESPACES) }, ...choices]} />
      <ul class="segments" aria-label="Density">${DENSITIES.map(
        (
          name,
        ) => html`<li key=${name}><a href=${route.href({ ...Object.fromEntries(route.params), density: densityParam(name) })}
          aria-current=${name === density ? "true" : undefined}>${name === "table" ? "Table" : "Cards"}</a></li>`,
      )}</ul>
    </div>
    <${Failure} of=${namespaces.failure} />
    <${Degraded} tiers=${namespaces.value?.degraded} />
    <${Results} api=${api} who=${who} search=${search} density=${density} route=${route} turn=${turn} />`;
}

/** The table is the default, and not part of the address. */
function densityParam(density: (typeof DENSITIES)[number]): string | undefined {
  return density === "table" ? undefined : density;
}
