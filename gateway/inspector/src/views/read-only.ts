import { html } from "htm/preact";
import type { VNode } from "preact";

/** Names the command that serves a page which can edit and forget. */
export function ReadOnly(): VNode {
  return html`<p class="quiet">This page is read-only. To edit and forget, run ${" "}
    <code>npx membus gateway --edit --listen 127.0.0.1:8766</code> and open its address.</p>`;
}
