/**
 * Asks for a name that confirms an action that cannot be undone.
 * @param action for example `erases agent a from x`.
 * @throws {TypeError} without a terminal, or if another text is entered.
 */
export async function confirm(action: string, name: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new TypeError(`cannot ask for confirmation without a terminal: add --yes. This ${action}`);
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`This ${action}. Type ${name} to continue: `);
    if (answer.trim() !== name) throw new TypeError("nothing was changed");
  } finally {
    terminal.close();
  }
}
