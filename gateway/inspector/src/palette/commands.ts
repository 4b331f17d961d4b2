import { hrefOf, type Route } from "../route.js";
import type { View } from "../view.js";

/** Number of commands that are shown. The search finds the others. */
const SHOWN_MAX = 12;

export interface Command {
  readonly name: string;
  /** Kind of its target, such as view, or the action. */
  readonly kind: string;
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
    ...views.map(({ title, path }) => ({ name: title, kind: "view", href: hrefOf(path) })),
    ...users.map(({ name }) => ({ name, kind: "user", href: hrefOf("users", { user: name }) })),
    ...agents.map(({ name }) => ({ name, kind: "agent", href: route.href({ agent: name }) })),
  ];
}

/**
 * Returns the commands to show for these words: names that begin with them, other names with them, and a
 * search for them.
 */
export function matching(commands: readonly Command[], typed: string): readonly Command[] {
  const words = typed.trim();
  if (words === "") return commands.slice(0, SHOWN_MAX);
  const place = ({ name }: Command) => name.toLowerCase().indexOf(words.toLowerCase());
  const found = commands
    .filter((command) => place(command) >= 0)
    .toSorted((a, b) => Math.sign(place(a)) - Math.sign(place(b)));
  const search = { name: words, kind: "search memories", href: hrefOf("memories", { q: words }) };
  return [...found.slice(0, SHOWN_MAX - 1), search];
}
