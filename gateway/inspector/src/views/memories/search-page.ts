import type { DegradedTier } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLoaded } from "../../loaded.js";
import { Degraded, Empty, Failure } from "../../notices.js";
import type { PageProps } from "../../view.js";
import { Filters } from "./filters.js";
import { type Namespace, NamespaceTree } from "./namespace-tree.js";
import { Results } from "./results.js";
import type { Search } from "./search.js";

interface Namespaces {
  readonly items: readonly Namespace[];
  readonly cursor?: string;
  readonly degraded?: readonly DegradedTier[];
}

const FIELDS = ["q", "namespace", "tier", "tags", "since", "until", "session"] as const;

export function SearchPage({ api, who, route }: PageProps): VNode {
  const given = Object.fromEntries(FIELDS.map((name) => [name, route.params.get(name) ?? undefined]));
  const { tier, session } = given;
  const namespaces = useLoaded(
    (signal) => api.get<Namespaces>("namespaces", { tier, session }, signal),
    [who, tier, session],
  );
  const items = namespaces.value?.items ?? [];
  const namespace = given.namespace ?? firstOf(items);
  const search: Search = { ...given, namespace };
  const go = (changes: Partial<Search>) => route.go({ ...search, ...changes });
  const isKnown =
    given.namespace !== undefined || namespaces.value !== undefined || namespaces.failure !== undefined;
  return html`
    <${Filters} key=${JSON.stringify(search)} api=${api} search=${search} onSearch=${go} />
    <${Failure} of=${namespaces.failure} />
    <${Degraded} tiers=${namespaces.value?.degraded} />
    <div class="beside">
      <section aria-labelledby="namespaces">
        <h2 id="namespaces">Namespaces</h2>
        ${namespaces.value !== undefined && items.length === 0 && html`<${Empty}>${nothing(who.agent)}<//>`}
        <${NamespaceTree} items=${items} selected=${namespace}
          hrefOf=${(path: string) => route.href({ ...search, namespace: path })} />
        ${namespaces.value?.cursor !== undefined && html`<p class="quiet">Not all namespaces are shown. Enter a namespace above.</p>`}
      </section>
      ${isKnown && html`<${Results} api=${api} who=${who} search=${search} />`}
    </div>`;
}

/** Returns the default namespace, or the namespace with the most entries. */
function firstOf(items: readonly Namespace[]): string {
  const isDefault = ({ value }: Namespace) => value.split("/")[0] === "default";
  const [largest] = items.toSorted((a, b) => b.count - a.count);
  return largest === undefined || items.some(isDefault) ? "default/**" : `${largest.value.split("/")[0]}/**`;
}

function nothing(agent: string): string {
  return agent === ""
    ? "The agents of this tenant share no entries yet. Choose an agent above to see its own entries."
    : `${agent} has not stored any entries. Store an entry or choose another agent above.`;
}
