import type { AgentsReply, UsersReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiFor } from "../api.js";
import { useLoaded } from "../loaded.js";
import type { Route } from "../route.js";
import type { View, Who } from "../view.js";
import { commandsFor, searchFor } from "./commands.js";
import { type Command, matching } from "./matching.js";

export interface PaletteProps {
  readonly views: readonly View[];
  readonly who: Who;
  readonly route: Route;
  /** False if the agent is given by the token. */
  readonly mayChooseAgent: boolean;
}

/** A dialog that finds views, agents and users by name, and searches memories for the typed words. */
export function Palette({ onClose, ...props }: PaletteProps & { readonly onClose: () => void }): VNode {
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const shown = matching(useCommands(props), words, searchFor);
  const current = Math.min(chosen, shown.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    dialog.current?.close();
    location.hash = command.href;
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") run(shown[current]);
    else if (step !== undefined) setChosen((current + step + shown.length) % Math.max(1, shown.length));
    else return;
    event.preventDefault();
  };
  const type = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    setWords(currentTarget.value);
    setChosen(0);
  };
  const option = (
    command: Command,
    n: number,
  ) => html`<li key=${command.href} id=${`command-${n}`} role="option"
    aria-selected=${n === current} onClick=${() => run(command)}>
    <span>${command.name}</span> <span class="quiet">${command.kind}</span></li>`;
  return html`<dialog class="palette" ref=${dialog} aria-label="Jump to" onClose=${onClose}
      onClick=${(event: Event) => event.target === dialog.current && dialog.current?.close()}>
    <div><input type="search" role="combobox" aria-label="View, agent, user or words to search" autocomplete="off" maxlength="512"
      placeholder="View, agent, user or words to search" aria-expanded="true" aria-autocomplete="list" aria-controls="commands"
      aria-activedescendant=${shown.length > 0 ? `command-${current}` : undefined}
      value=${words} onInput=${type} onKeyDown=${press} />
    <ul id="commands" role="listbox" aria-label="Commands">${shown.map(option)}</ul></div></dialog>`;
}

/** Returns the commands. Agents and users are added when they are read. */
function useCommands({ views, who, route, mayChooseAgent }: PaletteProps): readonly Command[] {
  const api = useMemo(() => apiFor(who), [who.tenant, who.agent]);
  const agents = useLoaded(
    async (signal) => (mayChooseAgent ? api.get<AgentsReply>("agents", {}, signal) : undefined),
    [api],
  );
  const users = useLoaded(
    async (signal) => (who.agent === "" ? undefined : api.get<UsersReply>("users", {}, signal)),
    [api],
  );
  return commandsFor({ views, route, agents: agents.value?.agents ?? [], users: users.value?.users ?? [] });
}
