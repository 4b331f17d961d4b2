import type { ConversationBrief, ConversationPage } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { counted } from "../figures.js";
import { useLoaded } from "../loaded.js";
import { Degraded, Empty, Failure, Time } from "../notices.js";
import type { PageProps } from "../view.js";
import { ChooseAgent } from "./choose-agent.js";
import { Chat } from "./conversations/chat.js";

/** Shows the list of conversations, or one conversation. */
export function Page(props: PageProps): VNode {
  const { api, who, route } = props;
  const id = route.params.get("id");
  if (who.agent === "") return html`<${ChooseAgent} ...${props} what="conversations" />`;
  return id === null
    ? html`<${Conversations} ...${props} />`
    : html`<${Chat} key=${id} api=${api} who=${who} route=${route} id=${id} />`;
}

function Conversations({ api, who, route }: PageProps): VNode {
  const cursor = route.params.get("cursor") ?? undefined;
  const { value, failure, isLoading, reload } = useLoaded(
    (signal) => api.get<ConversationPage>("conversations", { cursor }, signal),
    [who, cursor],
  );
  return html`<section aria-label="Conversations" aria-busy=${isLoading}>
    <p class="actions"><button class="plain" onClick=${reload}>Refresh</button></p>
    <${Failure} of=${failure} />
    <${Degraded} tiers=${value?.degraded} />
    ${value !== undefined && html`<${ConversationList} page=${value} route=${route} />`}
    <nav class="actions" aria-label="Pages">
      ${cursor !== undefined && html`<a href=${route.href({})}>Newest</a>`}
      ${value?.cursor !== undefined && html`<a href=${route.href({ cursor: value.cursor })}>Older</a>`}
    </nav>
  </section>`;
}

function ConversationList({
  page: { conversations, total },
  route,
}: Pick<PageProps, "route"> & { readonly page: ConversationPage }): VNode {
  if (total === 0) {
    return html`<${Empty}>This agent has no conversations. Programs create them with
      openConversation, and the gateway creates them for clients that send X-Membus-Conversation.<//>`;
  }
  const item = ({
    id,
    title,
    last,
    messages,
    summaries,
    newest,
  }: ConversationBrief) => html`<li class="card" key=${id} data-conversation=${id}>
    <p class="line"><a href=${route.href({ id })}>${title ?? id}</a>
      <span class="quiet"><${Time} at=${newest} isShort /></span></p>
    ${last !== undefined && html`<p class="excerpt">${last.role}: ${last.text}</p>`}
    <p class="quiet">${title === undefined ? "" : `${id} · `}${counted(messages, "message")}${summaries > 0 && ` · ${counted(summaries, "summary", "summaries")}`}</p>
  </li>`;
  return html`<p class="quiet">${counted(total, "conversation")}, newest first</p>
    <ol class="conversations">${conversations.map(item)}</ol>`;
}
