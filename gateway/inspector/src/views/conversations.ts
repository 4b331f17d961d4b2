import type { ConversationBrief, ConversationPage } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLoaded } from "../loaded.js";
import { Degraded, Empty, Failure, Time } from "../notices.js";
import type { PageProps } from "../view.js";
import { Chat } from "./conversations/chat.js";

/** Shows the list of conversations, or one conversation. */
export function Page(props: PageProps): VNode {
  const { api, who, route } = props;
  const id = route.params.get("id");
  if (who.agent === "") return html`<${Empty}>Choose an agent to see its conversations.<//>`;
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
    ${value !== undefined && html`<${ConversationTable} page=${value} route=${route} />`}
    <nav class="actions" aria-label="Pages">
      ${cursor !== undefined && html`<a href=${route.href({})}>Newest</a>`}
      ${value?.cursor !== undefined && html`<a href=${route.href({ cursor: value.cursor })}>Older</a>`}
    </nav>
  </section>`;
}

function ConversationTable({
  page: { conversations, total },
  route,
}: Pick<PageProps, "route"> & { readonly page: ConversationPage }): VNode {
  if (total === 0) {
    return html`<${Empty}>This agent has no conversations. Programs create them with
      openConversation, and the gateway creates them for clients that send X-Membus-Conversation.<//>`;
  }
  const row = ({ id, messages, summaries, newest }: ConversationBrief) => html`<tr key=${id}>
    <th scope="row"><a href=${route.href({ id })}>${id}</a></th>
    <td class="number">${messages}</td>
    <td class="number">${summaries}</td>
    <td><${Time} at=${newest} /></td>
  </tr>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="Table of conversations"><table>
    <caption>${total} ${total === 1 ? "conversation" : "conversations"}, newest first</caption>
    <thead><tr><th scope="col">Conversation</th><th scope="col">Messages</th><th scope="col">Summaries</th>
      <th scope="col">Latest</th></tr></thead>
    <tbody>${conversations.map(row)}</tbody>
  </table></div>`;
}
