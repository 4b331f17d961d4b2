import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../view.js";
import { EntryPanel } from "./memories/entry-panel.js";
import { SearchPage } from "./memories/search-page.js";

/** Shows the entries that match filters, and one of them beside the list. */
export function Page(props: PageProps): VNode {
  const [turn, setTurn] = useState(0);
  const { who, route } = props;
  const isShown = route.params.has("entry");
  // A panel belongs to one entry, so that it never shows or changes another one.
  const shown = JSON.stringify([who, ...["entry", "at", "session"].map((name) => route.params.get(name))]);
  return html`<div class=${isShown ? "with-side" : undefined}>
    <div class="list"><${SearchPage} ...${props} turn=${turn} /></div>
    ${isShown && html`<${EntryPanel} key=${shown} ...${props} onForgotten=${() => setTurn((turns) => turns + 1)} />`}
  </div>`;
}
