/** Number of commands that are shown. The search finds the others. */
const SHOWN_MAX = 12;

export interface Command {
  readonly name: string;
  /** Kind of its target, such as view, or the action. */
  readonly kind: string;
  readonly href: string;
}

/**
 * Returns the commands to show for these words: names that begin with them, other names with them, and a
 * search for them.
 */
export function matching(
  commands: readonly Command[],
  typed: string,
  searchFor: (words: string) => Command,
): readonly Command[] {
  const words = typed.trim();
  if (words === "") return commands.slice(0, SHOWN_MAX);
  const place = ({ name }: Command) => name.toLowerCase().indexOf(words.toLowerCase());
  const found = commands
    .filter((command) => place(command) >= 0)
    .toSorted((a, b) => Math.sign(place(a)) - Math.sign(place(b)));
  return [...found.slice(0, SHOWN_MAX - 1), searchFor(words)];
}
