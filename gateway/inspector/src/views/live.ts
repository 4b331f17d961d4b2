import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { entryParams, keyText, Tags } from "../entry-text.js";
import { Empty, Failure, Time } from "../notices.js";
import { hrefOf, type Route } from "../route.js";
import type { PageProps } from "../view.js";
import { CHANGES_MAX, type Change, idOf } from "./live/feed.js";
import { type Feed, useFeed } from "./live/use-feed.js";

interface Filter {
  readonly tier: string;
  readonly action: string;
  readonly author: string;
  /** Beginning of a namespace. */
  readonly namespace: string;
}

function filterIn({ params }: Route): Filter {
  const [tier, action, author, namespace] = ["tier", "action", "author", "namespace"].map(
    (name) => params.get(name) ?? "",
  ) as [string, string, string, string];
  return { tier, action, author, namespace };
}

/** Shows events as they arrive. The address keeps the filters. */
export function Page({ api, who, route }: PageProps): VNode {
  const feed = useFeed(api);
  const filter = filterIn(route);
  /** The changes that were shown when the user paused. */
  const [held, setHeld] = useState<readonly Change[]>();
  const wanted = (changes: readonly Change[]) => changes.filter((change) => passes(change, filter));
  const shown = wanted(held ?? feed.changes);
  const waiting = held === undefined ? 0 : newIn(wanted(feed.changes), held);
  const pause = () => setHeld(held === undefined ? feed.changes : undefined);
  const field = (label: string, name: "author" | "namespace") => html`<label>${label}
    <input name=${name} maxlength="512" value=${filter[name]} autocomplete="off"
      onInput=${({ currentTarget }: { currentTarget: HTMLInputElement }) => route.adjust({ [name]: currentTarget.value })} /></label>`;
  return html`
    <form onSubmit=${(event: Event) => event.preventDefault()} aria-label="Event filter">
      <${Choice} label="Tier" options=${["working", "episodic", "semantic"]} value=${filter.tier}
        onChosen=${(tier: string) => route.adjust({ tier })} />
      <${Choice} label="Event" options=${["stored", "forgotten", "expired", "evicted"]} value=${filter.action}
        onChosen=${(action: string) => route.adjust({ action })} />
      ${field("Author", "author")}${field("Namespace begins with", "namespace")}
      <button type="button" class="plain" aria-pressed=${held !== undefined} onClick=${pause}>Pause</button>
    </form>
    <p class="quiet" role="status" data-stream=${feed.state}>${statusText(feed, held !== undefined, waiting)}</p>
    <${Failure} of=${feed.failure} />
    ${
      shown.length === 0 &&
      feed.state === "open" &&
      html`<${Empty}>No events yet. Store an entry, for example with ${" "}
      <code>membus remember color blue --tenant ${who.tenant} --agent ${who.agent || "alice"}</code>.<//>`
    }
    <ol class="changes">${shown.map((change) => html`<${ChangeItem} key=${idOf(change)} change=${change} />`)}</ol>`;
}

function Choice({
  label,
  options,
  value,
  onChosen,
}: {
  readonly label: string;
  readonly options: readonly string[];
  readonly value: string;
  readonly onChosen: (value: string) => void;
}): VNode {
  const choose = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) =>
    onChosen(currentTarget.value);
  return html`<label>${label}
    <select value=${value} onChange=${choose}>
      <option value="">all</option>
      ${options.map((option) => html`<option key=${option} value=${option}>${option}</option>`)}
    </select></label>`;
}

function ChangeItem({ change }: { readonly change: Change }): VNode {
  const { action, tier, namespace, key, tags, author, at, text } = change;
  const name = keyText(key);
  const href = hrefOf("memories", entryParams(change));
  return html`<li class="card">
    <p class="line"><strong class=${action}>${action}</strong>
      ${action === "stored" ? html`<a href=${href}>${name}</a>` : html`<span>${name}</span>`}
      <span class="quiet">${tier} · ${namespace} · ${author} · <${Time} at=${at} /></span></p>
    ${text !== undefined && text !== name && html`<p>${text}</p>`}
    <${Tags} tags=${tags} />
  </li>`;
}

function passes({ tier, action, author, namespace }: Change, wanted: Filter): boolean {
  const is = (value: string, wish: string) => wish === "" || value === wish;
  return (
    is(tier, wanted.tier) &&
    is(action, wanted.action) &&
    is(author, wanted.author.trim()) &&
    namespace.startsWith(wanted.namespace.trim())
  );
}

function newIn(changes: readonly Change[], held: readonly Change[]): number {
  const known = new Set(held.map(idOf));
  return changes.filter((change) => !known.has(idOf(change))).length;
}

function statusText({ state }: Feed, isPaused: boolean, waiting: number): string {
  if (isPaused) return `Paused: ${waiting} new`;
  if (state === "open") return `Receiving events. The last ${CHANGES_MAX} are kept.`;
  return state === "connecting" ? "Connecting" : "Disconnected";
}
