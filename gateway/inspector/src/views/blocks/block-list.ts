import type { BlockBrief, BlocksReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams } from "../../entry-text.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Empty, Failure, Time } from "../../notices.js";
import { hrefOf } from "../../route.js";
import type { PageProps } from "../../view.js";

/** Shows each block with its value, and how much of its limit the value takes. */
export function BlockList({ api }: Pick<PageProps, "api">): VNode {
  const { value, failure, isLoading } = useLoaded(
    (signal) => api.get<BlocksReply>("blocks", {}, signal),
    [api],
  );
  return html`<section class="panel" aria-labelledby="blocks" aria-busy=${isLoading}><h2 id="blocks">Blocks</h2>
    <${Failure} of=${failure} />
    <${Degraded} tiers=${value?.degraded} />
    ${value?.blocks.length === 0 && html`<${Empty}>This agent has no blocks. Programs create them with <code>Blocks</code>.<//>`}
    <ul>${value?.blocks.map(item)}</ul>
    ${value?.truncated && html`<p class="quiet">Not all blocks are shown.</p>`}</section>`;
}

function item(block: BlockBrief): VNode {
  const { label, description, value, length, limit, read_only, tier, namespace, key_hash, changed } = block;
  return html`<li class="card" key=${`${tier} ${namespace} ${key_hash}`} data-block=${label}>
    <div class="panel-head"><h3><a href=${hrefOf("memories", entryParams(block))}>${label}</a>
      ${read_only && html` <span class="tag">read-only</span>`}</h3>
      <span class="quiet">${length.toLocaleString()} of ${limit.toLocaleString()} characters</span></div>
    ${description !== "" && html`<p class="quiet">${description}</p>`}
    <pre class="prose">${value}</pre>
    <p class="quiet">changed <${Time} at=${changed} isShort /> · ${tier} · ${namespace}</p></li>`;
}
