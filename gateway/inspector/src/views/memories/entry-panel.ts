import type { DegradedTier, EntryBrief, FactValidity } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveEvent } from "../../api.js";
import { entryParams, keyText, Tags } from "../../entry-text.js";
import { type Loaded, useLoaded } from "../../loaded.js";
import { Degraded, Failure } from "../../notices.js";
import { hrefOf } from "../../route.js";
import type { PageProps } from "../../view.js";
import { ReadOnly } from "../read-only.js";
import { Editor } from "./editor.js";
import { type Entry, placeOf } from "./entry.js";
import { Forgetting, Forgotten } from "./forgetting.js";
import { Lineage } from "./lineage.js";
import { Timeline } from "./timeline.js";
import { useChanges } from "./use-changes.js";
import { Validity } from "./validity.js";

interface Reply {
  readonly entry: Entry;
  /** Absent for entries that are no facts. */
  readonly validity?: FactValidity;
  readonly sources: readonly EntryBrief[];
  readonly derived: readonly EntryBrief[];
  readonly derived_truncated: boolean;
  readonly degraded: readonly DegradedTier[];
}

export interface EntryPanelProps extends PageProps {
  /** Called after the entry was forgotten, perhaps with derived entries. */
  readonly onForgotten: () => void;
}

/** Shows one entry beside the list: content, validity, lineage and history. */
export function EntryPanel({ api, who, route, edit, onForgotten }: EntryPanelProps): VNode {
  const key = route.params.get("entry")!;
  const [tier = "", namespace = ""] = (route.params.get("at") ?? "").split(" ");
  const session = route.params.get("session") ?? undefined;
  const place = { tier, namespace, key };
  const id = JSON.stringify([place, session]);
  const loaded = useLoaded((signal) => api.get<Reply>("memory", { ...place, session }, signal), [who, id]);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the panel is above the list, which the user has scrolled.
    if (panel.current!.getBoundingClientRect().top < 0) panel.current!.scrollIntoView();
  }, []);
  const { liveEvents, isOpen } = useChanges(api, place, loaded.reload);
  const [forgotten, setForgotten] = useState<number>();
  const { entry: _, at: __, ...list } = Object.fromEntries(route.params);
  const hrefTo = (entry: EntryBrief) => route.href({ ...list, ...entryParams(entry), session });
  const reply = forgotten === undefined ? loaded.value : undefined;
  const forget = (count: number) => {
    setForgotten(count);
    onForgotten();
  };
  return html`<aside class="side" ref=${panel} aria-label="Entry" aria-busy=${loaded.isLoading}>
    <p class="panel-head"><a href=${route.href(list)}>Close the entry</a>
      ${reply !== undefined && html`<a href=${graphHref(reply.entry)}>Show in the graph</a>`}</p>
    ${forgotten === undefined ? html`<${State} loaded=${loaded} />` : html`<${Forgotten} count=${forgotten} />`}
    ${
      reply !== undefined &&
      html`<article data-stream=${isOpen ? "open" : "closed"}>
      <${Outdated} reply=${reply} liveEvents=${liveEvents} onReload=${loaded.reload} />
      <${Content} reply=${reply} hrefOf=${hrefTo} />
      <${Degraded} tiers=${reply.degraded} />
      <${Lineage} ...${reply} hrefOf=${hrefTo} />
      <${Timeline} entry=${reply.entry} validity=${reply.validity} hrefOf=${hrefTo} liveEvents=${liveEvents} />
      <${Details} entry=${reply.entry} />
      ${
        edit
          ? html`
        <${Editor} key=${reply.entry.revision} api=${api} entry=${reply.entry} session=${session} onStored=${loaded.reload} />
        <${Forgetting} api=${api} place=${placeOf(reply.entry)} session=${session} onForgotten=${forget} />`
          : html`<div class="footer"><${ReadOnly} /></div>`
      }
    </article>`
    }</aside>`;
}

function State({ loaded }: { readonly loaded: Loaded<Reply> }): VNode {
  if (loaded.isLoading && loaded.value === undefined) return html`<p class="quiet">Loading the entry</p>`;
  return html`<${Failure} of=${loaded.failure} />`;
}

function graphHref({ tier, namespace, key_hash }: Entry): string {
  return hrefOf("graph", { tier, namespace, entry: key_hash });
}

function Outdated({
  reply,
  liveEvents,
  onReload,
}: {
  readonly reply: Reply;
  readonly liveEvents: readonly LiveEvent[];
  readonly onReload: () => void;
}): VNode | null {
  if (liveEvents.every(({ revision }) => revision <= reply.entry.revision)) return null;
  return html`<p role="status">This entry has changed.
    <button type="button" class="plain" onClick=${onReload}>Reload</button></p>`;
}

function Content({
  reply,
  hrefOf: hrefTo,
}: {
  readonly reply: Reply;
  readonly hrefOf: (entry: EntryBrief) => string;
}): VNode {
  const { entry, validity } = reply;
  const { key, text, context, tags, metadata } = entry;
  const kind = metadata?.kind;
  return html`<h2>${keyText(key)} ${typeof kind === "string" && html`<span class="tag">${kind}</span>`}</h2>
    <${Tags} tags=${tags} />
    ${contentOf(entry)}
    ${validity !== undefined && html`<${Validity} validity=${validity} hrefOf=${hrefTo} />`}
    ${text !== undefined && html`<h3>Indexed text</h3><p>${text}</p>`}
    ${context !== undefined && html`<h3>Context</h3><p>${context}</p>`}
    ${metadata !== undefined && html`<details><summary>Metadata, as JSON</summary><pre class="card">${JSON.stringify(metadata, null, 2)}</pre></details>`}`;
}

/** Shows a content that is only a text as this text, and another one as JSON. */
function contentOf({ content }: Entry): VNode {
  const { text, ...others } = Object(content) as { readonly text?: unknown };
  const only = Object.keys(others).length === 0 ? text : undefined;
  const prose = typeof content === "string" ? content : only;
  if (typeof prose === "string") return html`<pre class="card prose">${prose}</pre>`;
  return html`<pre class="card">${JSON.stringify(content, null, 2)}</pre>`;
}

function Details({ entry }: { readonly entry: Entry }): VNode {
  const { author, source, importance, revision, seq, group, key_hash, tier, namespace } = entry;
  const row = (name: string, value: unknown) =>
    html`<tr key=${name}><th scope="row">${name}</th><td>${value}</td></tr>`;
  return html`<h2>Details</h2>
    <table><tbody>
      ${row("Tier", tier)}
      ${row("Namespace", namespace)}
      ${row("Written by", author)}
      ${row("Source", source)}
      ${row("Importance", importance)}
      ${group !== undefined && row("Group", group)}
      ${row("Revision", revision)}
      ${row("First revision", seq)}
      ${row("Key hash", html`<code>${key_hash}</code>`)}
    </tbody></table>`;
}
