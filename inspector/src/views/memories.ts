import { html } from "htm/preact";
import { useLoaded } from "../loaded.js";
import { Failure } from "../notices.js";
import type { PageProps, View } from "../view.js";

interface Namespaces {
  readonly items: readonly { readonly value: string; readonly count: number }[];
}

function Page({ api, who }: PageProps) {
  const { value, failure } = useLoaded((signal) => api.get<Namespaces>("namespaces", {}, signal), [who]);
  return html`<${Failure} of=${failure} />
    <ul>${value?.items.map((item) => html`<li key=${item.value}>${item.value} (${item.count})</li>`)}</ul>`;
}

export const memoriesView: View = { path: "memories", title: "Memories", Page };
