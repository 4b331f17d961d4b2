import type { AgentsReply, UserBrief, UsersReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { ApiError, apiFor } from "../../api.js";
import { useLoaded } from "../../loaded.js";
import { Failure, Loading, Time } from "../../notices.js";
import type { PageProps } from "../../view.js";
import { AgentLinks } from "../choose-agent.js";

/** Number of agents for which users are read. */
const AGENTS_MAX = 20;

interface KnownUser extends UserBrief {
  readonly agent: string;
}

interface KnownUsers {
  readonly users: readonly KnownUser[];
  /** True if users are missing. */
  readonly isCut: boolean;
}

/** Lists the users of the known agents, because a person is often known by name and not by agent. */
export function AllUsers({ api, who, route }: PageProps): VNode {
  const agents = useLoaded(
    async (signal) => (await api.get<AgentsReply>("agents", {}, signal)).agents,
    [api],
  );
  const { value, failure, isLoading } = useLoaded(
    async (signal) => agents.value && usersOfAll(who.tenant, agents.value, signal),
    [agents.value],
  );
  const row = ({
    agent,
    name,
    entries,
    newest,
  }: KnownUser) => html`<tr key=${`${agent} ${name}`} data-user=${name}>
    <th scope="row"><a href=${route.href({ agent, user: name })}>${name}</a></th><td>${agent}</td>
    <td class="number">${entries.toLocaleString()}</td><td><${Time} at=${newest} isShort /></td></tr>`;
  return html`<section aria-label="Users" aria-busy=${agents.isLoading || isLoading}>
    <${Failure} of=${agents.failure ?? failure} />
    ${(agents.isLoading || isLoading) && html`<${Loading} />`}
    ${value?.isCut && html`<p class="quiet">Not all users are listed.</p>`}
    ${
      value !== undefined &&
      value.users.length > 0 &&
      html`<table>
      <thead><tr><th scope="col">User</th><th scope="col">Known to agent</th><th scope="col" class="number">Entries</th>
        <th scope="col">Latest</th></tr></thead>
      <tbody>${value.users.map(row)}</tbody></table>`
    }</section>
    <${AgentLinks} agents=${agents.value} route=${route} what="users" />`;
}

async function usersOfAll(
  tenant: string,
  agents: AgentsReply["agents"],
  signal: AbortSignal,
): Promise<KnownUsers> {
  const read = agents.slice(0, AGENTS_MAX).map(({ name }) => usersOf(tenant, name, signal));
  const lists = await Promise.all(read);
  return {
    users: lists.flatMap(({ users }) => users),
    isCut: agents.length > AGENTS_MAX || lists.some(({ isCut }) => isCut),
  };
}

/** Returns no users if the agent cannot be read, because the other agents may still have some. */
async function usersOf(tenant: string, agent: string, signal: AbortSignal): Promise<KnownUsers> {
  try {
    const { users, truncated } = await apiFor({ tenant, agent }).get<UsersReply>("users", {}, signal);
    return { users: users.map((user) => ({ ...user, agent })), isCut: truncated };
  } catch (error) {
    // The session has expired for all agents.
    if (!(error instanceof ApiError) || error.status === 401) throw error;
    return { users: [], isCut: true };
  }
}
