import { hrefOf, type Route } from "../route.js";
import type { View } from "../view.js";

export interface Command {
  readonly name: string;
  readonly what: string;
  readonly href: string;
}

interface Named {
  readonly name: string;
}

/** Returns the views, the users of the agent, and the agents. */
export function commandsFor({
  views,
  route,
  agents,
  users,
}: {
  readonly views: readonly View[];
  readonly route: Pick<Route, "href">;
  readonly agents: readonly Named[];
  readonly users: readonly Named[];
}): readonly Command[] {
  return [
    ...views.map(({ title, path }) => ({ name: title, what: "view", href: hrefOf(path) })),
    ...users.map(({ name }) => ({ name, what: "user", href: hrefOf("users", { user: name }) })),
    ...agents.map(({ name }) => ({ name, what: "agent", href: route.href({ agent: name }) })),
  ];
}

/** Returns the commands with these words, names that begin with them first, and a search for them. */
export function matching(commands: readonly Command[], typed: string): readonly Command[] {
  const words = typed.trim();
  if (words === "") return commands;
  const place = ({ name }: Command) => name.toLowerCase().indexOf(words.toLowerCase());
  const found = commands.filter((command) => place(command) >= 0);
  const search = { name: words, what: "search memories", href: hrefOf("memories", { q: words }) };
  return [...found.toSorted((a, b) => Math.sign(place(a)) - Math.sign(place(b))), search];
}
