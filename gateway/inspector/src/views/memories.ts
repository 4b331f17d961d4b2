import { html } from "htm/preact";
import type { VNode } from "preact";
import type { PageProps } from "../view.js";
import { EntryPage } from "./memories/entry-page.js";
import { SearchPage } from "./memories/search-page.js";

/** Shows the entries that match filters, or one entry. */
export function Page(props: PageProps): VNode {
  return props.route.params.has("entry")
    ? html`<${EntryPage} ...${props} />`
    : html`<${SearchPage} ...${props} />`;
}
