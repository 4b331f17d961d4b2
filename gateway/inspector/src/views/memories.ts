import { html } from "htm/preact";
import type { VNode } from "preact";
import type { PageProps } from "../view.js";
import { EntryPanel } from "./memories/entry-panel.js";
import { SearchPage } from "./memories/search-page.js";

/** Shows the entries that match filters, and one of them beside the list. */
export function Page(props: PageProps): VNode {
  const isShown = props.route.params.has("entry");
  return html`<div class=${isShown ? "with-side" : undefined}>
    <div class="list"><${SearchPage} ...${props} /></div>
    ${isShown && html`<${EntryPanel} ...${props} />`}
  </div>`;
}
