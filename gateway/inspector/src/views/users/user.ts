import type { UserEntry, UserPlaceBrief, UserReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams, keyText } from "../../entry-text.js";
import { counted } from "../../figures.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Empty, Failure, Time } from "../../notices.js";
import { hrefOf } from "../../route.js";
import type { PageProps } from "../../view.js";
import { ReadOnly } from "../read-only.js";
import { Facts } from "./facts.js";
import { ForgetUser } from "./forget-user.js";
import { Origin } from "./origin.js";

/** Titles of the kinds of records that are shown first. Other entries follow under their kind. */
const TITLES: Readonly<Record<string, string>> = {
  fact: "Facts",
  triple: "Relations",
  block: "Blocks",
  summary: "Summaries",
  message: "Messages",
  other: "Other entries",
};

/** Shows everything that the agent knows about one user. */
export function User({ api, route, edit, name }: PageProps & { readonly name: string }): VNode {
  const others = route.params.get("names") ?? "";
  const { value, failure, isLoading, reload } = useLoaded(
    (signal) => api.get<UserReply>("user", { user: name, names: others }, signal),
    [api, name, others],
  );
  const isEmpty = value !== undefined && value.entries.length === 0 && value.places.length === 0;
  return html`<section aria-labelledby="user" aria-busy=${isLoading}>
    <p class="panel-head"><a href=${route.href({})}>All users</a></p>
    <h2 id="user">${name}</h2>
    ${edit && value !== undefined && html`<${ForgetUser} key=${value.names.join()} api=${api} name=${name} names=${value.names} onForgotten=${reload} />`}
    ${!edit && html`<${ReadOnly} />`}
    <${OtherNames} key=${others} route=${route} name=${name} others=${others} used=${value?.names ?? []} />
    <${Failure} of=${failure} />
    <${Degraded} tiers=${value?.degraded} />
    ${isEmpty && html`<${Empty}>This agent knows nothing about ${name}.<//>`}
    ${value?.truncated && html`<p class="quiet">Not all entries are shown.</p>`}
    ${
      value !== undefined &&
      html`<div class="overview">
      <div class="wide-panel">${kindsOf(value.entries).map(([kind, entries]) => html`<${Kind} key=${kind} kind=${kind} entries=${entries} />`)}</div>
      <div class="panel-column"><${Places} places=${value.places} /><${Chats} reply=${value} /></div>
    </div>`
    }
  </section>`;
}

interface OtherNamesProps extends Pick<PageProps, "route"> {
  readonly name: string;
  /** Names in the address, with commas between them. */
  readonly others: string;
  readonly used: readonly string[];
}

/** Says under which names records were found, and takes other names, such as nodes of a graph. */
function OtherNames({ route, name, others, used }: OtherNamesProps): VNode {
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("names");
    route.go({ user: name, names: String(given).trim() });
  };
  return html`<details class="other-names" open=${others !== ""}>
    <summary>${used.length > 0 ? `Also found as ${used.join(", ")}` : "Other names"}</summary>
    <form class="search-box" onSubmit=${search}>
      <label>Other names, with commas between them
        <input name="names" maxlength="512" autocomplete="off" defaultValue=${others} /></label>
      <button class="plain">Search</button>
    </form></details>`;
}

/** Groups entries by kind: known kinds in order, then the others. */
function kindsOf(entries: readonly UserEntry[]): [string, UserEntry[]][] {
  const kinds = new Map<string, UserEntry[]>(Object.keys(TITLES).map((kind) => [kind, []]));
  for (const entry of entries) {
    const kind = entry.kind ?? "other";
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry]);
  }
  return [...kinds].filter(([, found]) => found.length > 0);
}

function Kind({ kind, entries }: { readonly kind: string; readonly entries: readonly UserEntry[] }): VNode {
  if (kind === "fact") return html`<${Facts} entries=${entries} />`;
  const item = (entry: UserEntry) => html`<li key=${`${entry.tier} ${entry.namespace} ${entry.key_hash}`}>
    <a href=${hrefOf("memories", entryParams(entry))}>${entry.text || keyText(entry.key)}</a>
    <span class="quiet"><${Time} at=${entry.at} isShort /> ·${" "}
      ${kind !== "message" && html`<${Origin} entry=${entry} /> · `}${entry.tier} · ${entry.namespace}</span></li>`;
  return html`<section class="panel" aria-labelledby=${`kind-${kind}`} data-kind=${kind}>
    <h3 id=${`kind-${kind}`}>${TITLES[kind] ?? kind} <span class="count quiet">${entries.length}</span></h3>
    <ul class="rows">${entries.map(item)}</ul></section>`;
}

function Places({ places }: { readonly places: readonly UserPlaceBrief[] }): VNode | null {
  if (places.length === 0) return null;
  const item = ({ tier, namespace, entries }: UserPlaceBrief) => html`<li key=${`${tier} ${namespace}`}>
    <a href=${hrefOf("memories", { tier, namespace })}>${namespace}</a>
    <span class="quiet">${tier}, ${counted(entries, "entry", "entries")}</span></li>`;
  return html`<section class="panel" aria-labelledby="places"><h3 id="places">Namespaces</h3>
    <ul class="rows">${places.map(item)}</ul></section>`;
}

function Chats({ reply: { conversations } }: { readonly reply: UserReply }): VNode | null {
  if (conversations.length === 0) return null;
  const item = ({ id, messages }: UserReply["conversations"][number]) => html`<li key=${id}>
    <a href=${hrefOf("conversations", { id })}>${id}</a> <span class="quiet">${counted(messages, "entry", "entries")}</span></li>`;
  return html`<section class="panel" aria-labelledby="chats"><h3 id="chats">Conversations</h3>
    <ul class="rows">${conversations.map(item)}</ul></section>`;
}
