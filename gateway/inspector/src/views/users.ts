import type { UserBrief, UsersReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../figures.js";
import { useLoaded } from "../loaded.js";
import { Empty, Failure, Time } from "../notices.js";
import type { PageProps } from "../view.js";
import { AllUsers } from "./users/all-users.js";
import { User } from "./users/user.js";

/** Lists the users that an agent knows, or shows one of them. */
export function Page(props: PageProps): VNode {
  const name = props.route.params.get("user");
  if (props.who.agent === "") return html`<${AllUsers} ...${props} />`;
  return name === null
    ? html`<${Users} ...${props} />`
    : html`<${User} key=${name} ...${props} name=${name} />`;
}

function Users({ api, route }: PageProps): VNode {
  const [words, setWords] = useState("");
  const { value, failure, isLoading } = useLoaded(
    (signal) => api.get<UsersReply>("users", {}, signal),
    [api],
  );
  const users = (value?.users ?? []).filter(({ name }) =>
    name.toLowerCase().includes(words.trim().toLowerCase()),
  );
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    if (words.trim() !== "") route.go({ user: words.trim() });
  };
  const row = ({ name, entries, newest }: UserBrief) => html`<tr key=${name} data-user=${name}>
    <th scope="row"><a href=${route.href({ user: name })}>${name}</a></th>
    <td class="number">${entries}</td><td><${Time} at=${newest} isShort /></td></tr>`;
  return html`<section aria-label="Users" aria-busy=${isLoading}>
    <form role="search" class="search-box" onSubmit=${open}>
      <label>Find a user, or type a name and press Enter
        <input type="search" maxlength="512" autocomplete="off" value=${words}
          onInput=${({ currentTarget }: { currentTarget: HTMLInputElement }) => setWords(currentTarget.value)} /></label>
      <button>Open</button>
    </form>
    <${Failure} of=${failure} />
    ${
      value?.users.length === 0 &&
      html`<${Empty}>No users yet. An agent with users stores in namespaces such as <code>about/user:ada</code>.<//>`
    }
    ${value?.truncated && html`<p class="quiet">Not all users are listed. Type a name.</p>`}
    ${
      users.length > 0 &&
      html`<p class="quiet">${counted(users.length, "user")}</p><table>
      <thead><tr><th scope="col">User</th><th scope="col" class="number">Entries</th><th scope="col">Latest</th></tr></thead>
      <tbody>${users.map(row)}</tbody></table>`
    }
  </section>`;
}
