import type { DegradedTier, EntryBrief } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Choices, LiveEvent } from "../../api.js";
import { entryParams, keyText, Tags } from "../../entry-text.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Empty, Failure, Time } from "../../notices.js";
import type { PageProps } from "../../view.js";
import { Editor } from "./editor.js";
import { type Entry, placeOf } from "./entry.js";
import { Forgetting } from "./forgetting.js";
import { useChanges } from "./use-changes.js";

interface Reply {
  readonly entry: Entry;
  readonly sources: readonly EntryBrief[];
  readonly derived: readonly EntryBrief[];
  readonly derived_truncated: boolean;
  readonly degraded: readonly DegradedTier[];
}

/** Shows one entry: content, history, sources and derived entries. */
export function EntryPage({ api, who, route }: PageProps): VNode {
  const key = route.params.get("entry")!;
  const [tier = "", namespace = ""] = (route.params.get("at") ?? "").split(" ");
  const session = route.params.get("session") ?? undefined;
  const place = { tier, namespace, key };
  const id = JSON.stringify([place, session]);
  const loaded = useLoaded((signal) => api.get<Reply>("memory", { ...place, session }, signal), [who, id]);
  const choices = useLoaded((signal) => api.get<Choices>("session", {}, signal), [who]);
  const { liveEvents, isOpen } = useChanges(api, place, loaded.reload);
  const reply = loaded.value;
  const isLatest = liveEvents.every(
    ({ revision }) => reply === undefined || revision <= reply.entry.revision,
  );
  const hrefOf = (entry: EntryBrief) => route.href({ ...entryParams(entry), session });
  return html`
    <p><a href=${route.href({ namespace, session })}>All entries of ${namespace}</a></p>
    <${Failure} of=${loaded.failure} />
    ${
      reply !== undefined &&
      html`<article key=${id} data-stream=${isOpen ? "open" : "closed"}>
      ${
        !isLatest &&
        html`<p role="status">This entry has changed.
        <button type="button" class="plain" onClick=${loaded.reload}>Reload</button></p>`
      }
      <${Content} entry=${reply.entry} />
      <${History} entry=${reply.entry} liveEvents=${liveEvents} />
      <${Degraded} tiers=${reply.degraded} />
      <${Related} title="Derived from" entries=${reply.sources} hrefOf=${hrefOf}
        none=${sourcesText(reply.entry.sources?.length ?? 0)} />
      <${Related} title="Derived entries" entries=${reply.derived} hrefOf=${hrefOf}
        none="No entry was derived from this entry." isCut=${reply.derived_truncated} />
      ${
        choices.value?.edit &&
        html`
        <${Editor} key=${reply.entry.revision} api=${api} entry=${reply.entry} session=${session} onStored=${loaded.reload} />
        <${Forgetting} api=${api} place=${placeOf(reply.entry)} session=${session} />`
      }
    </article>`
    }`;
}

function Content({ entry }: { readonly entry: Entry }): VNode {
  const { key, content, text, context, tags, metadata } = entry;
  return html`<h2>${keyText(key)}</h2>
    <${Tags} tags=${tags} />
    <pre class="card">${typeof content === "string" ? content : JSON.stringify(content, null, 2)}</pre>
    ${text !== undefined && html`<h3>Indexed text</h3><p>${text}</p>`}
    ${context !== undefined && html`<h3>Context</h3><p>${context}</p>`}
    ${metadata !== undefined && html`<h3>Metadata</h3><pre class="card">${JSON.stringify(metadata, null, 2)}</pre>`}`;
}

function History({
  entry,
  liveEvents,
}: {
  readonly entry: Entry;
  readonly liveEvents: readonly LiveEvent[];
}): VNode {
  const { timestamps, occurred_at, expires_at, author, source, importance, revision, seq, group, key_hash } =
    entry;
  const row = (name: string, value: unknown) =>
    html`<tr key=${name}><th scope="row">${name}</th><td>${value}</td></tr>`;
  const time = (at: number) => html`<${Time} at=${at} />`;
  return html`<h2>History</h2>
    <table><tbody>
      ${row("Created", time(timestamps.created))}
      ${row("Updated", timestamps.updated === timestamps.created ? "never" : time(timestamps.updated))}
      ${row("Occurred", time(occurred_at))}
      ${expires_at !== undefined && row("Expires", time(expires_at))}
      ${row("Written by", author)}
      ${row("Source", source)}
      ${row("Importance", importance)}
      ${group !== undefined && row("Group", group)}
      ${row("Revision", revision)}
      ${row("First revision", seq)}
      ${row("Key hash", html`<code>${key_hash}</code>`)}
    </tbody></table>
    ${
      liveEvents.length > 0 &&
      html`<h3>While this page is open</h3>
      <ol>${liveEvents.map(
        (event) => html`<li key=${event.revision}><strong class=${event.action}>${event.action}</strong> by
        ${event.author}, <${Time} at=${event.at} />, revision ${event.revision}</li>`,
      )}</ol>`
    }`;
}

function Related({
  title,
  entries,
  hrefOf,
  none,
  isCut = false,
}: {
  readonly title: string;
  readonly entries: readonly EntryBrief[];
  readonly hrefOf: (entry: EntryBrief) => string;
  readonly none: string;
  readonly isCut?: boolean;
}): VNode {
  const item = (
    entry: EntryBrief,
  ) => html`<li class="card" key=${`${entry.tier} ${entry.namespace} ${entry.key_hash}`}>
    <a href=${hrefOf(entry)}>${entry.text || entry.key_hash}</a>
    <span class="quiet"> ${entry.tier} · ${entry.namespace}</span></li>`;
  return html`<h2>${title}</h2>
    ${entries.length === 0 ? html`<${Empty}>${none}<//>` : html`<ul>${entries.map(item)}</ul>`}
    ${isCut && html`<p class="quiet">Not all entries are shown.</p>`}`;
}

function sourcesText(count: number): string {
  return count === 0 ? "This entry names no sources." : `This entry names ${count}, which no longer exist.`;
}
