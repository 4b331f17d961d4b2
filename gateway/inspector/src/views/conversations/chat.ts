import type { ChatCall, ChatOffload, Chat as ChatReply, Learned } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams } from "../../entry-text.js";
import { counted } from "../../figures.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Empty, Failure, Time } from "../../notices.js";
import { hrefOf } from "../../route.js";
import type { PageProps } from "../../view.js";
import {
  type ChatItem,
  chatItems,
  type LearnedItem,
  type MessageItem,
  type SummaryItem,
} from "./chat-items.js";

const LONG_TEXT_LENGTH = 1_000;
/** Characters of a message that its link to memories contains. */
const RECALL_LENGTH = 500;

/** Shows one conversation page by page. The newest page comes first, with its messages in order. */
export function Chat({ api, who, route, id }: PageProps & { readonly id: string }): VNode {
  const cursor = route.params.get("cursor") ?? undefined;
  const { value, failure, isLoading, reload } = useLoaded(
    (signal) => api.get<ChatReply>("conversation", { id, cursor }, signal),
    [who, id, cursor],
  );
  return html`<section aria-labelledby="chat" aria-busy=${isLoading}>
    <p class="actions"><a href=${route.href({})}>All conversations</a>
      <button class="plain" onClick=${reload}>Refresh</button></p>
    <div class="panel-head"><h2 id="chat">${value?.title ?? id}</h2>
      <p class="quiet">${value?.title !== undefined && `${id} · `}${value !== undefined && counted(value.total, "message")}</p></div>
    <${Failure} of=${failure} />
    <${Degraded} tiers=${value?.degraded} />
    ${value?.learned_truncated && html`<p class="quiet">Not all learned entries are shown.</p>`}
    <nav class="actions" aria-label="Pages">
      ${value?.cursor !== undefined && html`<a href=${route.href({ id, cursor: value.cursor })}>Older messages</a>`}
      ${cursor !== undefined && html`<a href=${route.href({ id })}>Newest messages</a>`}
    </nav>
    ${value?.total === 0 && html`<${Empty}>This conversation has no messages.<//>`}
    <ol class="chat">${value && chatItems(value).map((item) => html`<${Item} item=${item} />`)}</ol>
  </section>`;
}

function Item({ item }: { readonly item: ChatItem }): VNode {
  if ("summary" in item) return html`<${Summary} ...${item} />`;
  return "message" in item ? html`<${Message} ...${item} />` : html`<${LearnedTogether} ...${item} />`;
}

function LearnedTogether({ learned, from }: LearnedItem): VNode {
  return html`<li data-learned=${from}>
    <${LearnedList} learned=${learned} title=${`Learned from these messages (${from} up to here)`} /></li>`;
}

function Message({ message, isCompacted, offloads, learned }: MessageItem): VNode {
  const { role, name, author, occurred_at, text, truncated, tool_calls, marks } = message;
  return html`<li class=${`message ${role}`} data-message=${message.id}>
    <p class="byline"><strong>${name ?? role}</strong> ${name !== undefined && html`<span class="tag">${role}</span>`}
      ${isCompacted && html`<span class="tag">summarised</span>`}
      ${marks.map((mark) => html`<span class="tag">${mark}</span>`)}
      <span class="quiet">by ${author}, <${Time} at=${occurred_at} /></span>
      ${role === "user" && text !== "" && html` <a href=${recallHref(text)}>Recall</a>`}</p>
    <${MessageText} text=${text} />
    ${truncated && html`<p class="quiet">Only the beginning of this message is shown.</p>`}
    ${tool_calls.map((call) => html`<${Call} ...${call} />`)}
    ${offloads.map((offload) => html`<${Offload} ...${offload} />`)}
    ${learned.length > 0 && html`<${LearnedList} learned=${learned} title="Learned from this message" />`}
  </li>`;
}

/** Leads to the memories that this text finds now. A host does not store which memories an agent has retrieved. */
function recallHref(text: string): string {
  return hrefOf("memories", { q: text.slice(0, RECALL_LENGTH), namespace: "**" });
}

/** A long text scrolls on its own. It has a tab stop, so that the keyboard can scroll it. */
function MessageText({ text }: { readonly text: string }): VNode | null {
  if (text === "") return null;
  if (text.length <= LONG_TEXT_LENGTH) return html`<p class="said">${text}</p>`;
  return html`<div class="said long" role="region" aria-label="Text" tabindex="0">${text}</div>`;
}

function Call({ name, arguments: given }: ChatCall): VNode {
  return html`<details class="call"><summary>Calls ${name}</summary><pre>${given}</pre></details>`;
}

function Offload({ bytes, tool }: ChatOffload): VNode {
  const what = tool === undefined ? "text" : `result of ${tool}`;
  return html`<p class="quiet">The ${what} (${bytes} bytes) was moved out of the context and stored separately.</p>`;
}

function LearnedList({
  learned,
  title,
}: {
  readonly learned: readonly Learned[];
  readonly title: string;
}): VNode {
  const item = (entry: Learned) => {
    const { key_hash, tier, namespace, kind, text } = entry;
    return html`<li key=${key_hash}>
      <a href=${hrefOf("memories", entryParams(entry))}>${text}</a>
      <span class="tag">${kind ?? "entry"}</span> <span class="quiet">${namespace}, ${tier}</span>${" "}
      <a href=${hrefOf("graph", { tier, namespace, entry: key_hash })} aria-label=${`Graph around ${text}`}>graph</a>
    </li>`;
  };
  return html`<div class="learned"><p>${title}</p><ul>${learned.map(item)}</ul></div>`;
}

function Summary({ summary, covered }: SummaryItem): VNode {
  const { text, key_facts, open_threads, level, created } = summary;
  const list = (title: string, lines: readonly string[]) =>
    lines.length > 0 &&
    html`<p>${title}</p><ul class="bullets">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<li class="summary" data-summary=${summary.key_hash}>
    <p class="byline"><strong>Summary</strong> <span class="tag">level ${level}</span>
      <span class="quiet">replaces ${covered} of the messages above, <${Time} at=${created} /></span></p>
    <p class="said">${text}</p>
    ${list("Key facts", key_facts)}
    ${list("Open threads", open_threads)}
  </li>`;
}
