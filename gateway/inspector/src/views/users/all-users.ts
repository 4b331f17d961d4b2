import type { AgentsReply, UserBrief, UsersReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { apiFor } from "../../api.js";
import { useLoaded } from "../../loaded.js";
import { Failure, Loading, Time } from "../../notices.js";
import type { PageProps } from "../../view.js";
import { ChooseAgent } from "../choose-agent.js";

/** Number of agents that are asked for their users. */
const AGENTS_MAX = 20;

interface KnownUser extends UserBrief {
  readonly agent: string;
}

/** Lists the users of the known agents, because a person is often known by name and not by agent. */
export function AllUsers(props: PageProps): VNode {
  const { api, who, route } = props;
  const { value, failure, isLoading } = useLoaded(
    async (signal) => {
      const { agents } = await api.get<AgentsReply>("agents", {}, signal);
      const asked = agents.slice(0, AGENTS_MAX).map(({ name }) => name);
      return (await Promise.all(asked.map((agent) => usersOf(who.tenant, agent, signal)))).flat();
    },
    [api],
  );
  const row = ({
    agent,
    name,
    entries,
    newest,
  }: KnownUser) => html`<tr key=${`${agent} ${name}`} data-user=${name}>
    <th scope="row"><a href=${route.href({ agent, user: name })}>${name}</a></th><td>${agent}</td>
    <td class="number">${entries.toLocaleString()}</td><td><${Time} at=${newest} isShort /></td></tr>`;
  return html`<section aria-label="Users" aria-busy=${isLoading}>
    <${Failure} of=${failure} />
    ${isLoading && html`<${Loading} />`}
    ${
      value !== undefined &&
      value.length > 0 &&
      html`<table>
      <thead><tr><th scope="col">User</th><th scope="col">Known to agent</th><th scope="col" class="number">Entries</th>
        <th scope="col">Latest</th></tr></thead>
      <tbody>${value.map(row)}</tbody></table>`
    }</section>
    <${ChooseAgent} ...${props} what="users" />`;
}

/** An agent that cannot be read has no users here. Its own page says why. */
async function usersOf(tenant: string, agent: string, signal: AbortSignal): Promise<readonly KnownUser[]> {
  const { users } = await apiFor({ tenant, agent })
    .get<UsersReply>("users", {}, signal)
    .catch(() => ({ users: [] }));
  return users.map((user) => ({ ...user, agent }));
}
