import { hrefOf, type Route } from "../route.js";
import type { View } from "../view.js";
import type { Command } from "./matching.js";

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

/** Returns a search of memories for these words. */
export function searchFor(words: string): Command {
  return { name: words, kind: "search memories", href: hrefOf("memories", { q: words }) };
}
