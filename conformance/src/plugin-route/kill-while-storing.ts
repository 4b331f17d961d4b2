import type { MemoryTier } from "@membus/protocol";
import type { Acknowledged } from "../context.js";
import { ExpectationError } from "../expect.js";
import type { EntryInput } from "../memory-agent.js";
import { PluginProcess } from "./plugin-process.js";
import type { PluginUnderTest } from "./plugin-under-test.js";

/** What the child says of entry `number`, a line each: `stored 7` when that is acknowledged. */
export type ChildLine = `${"stored" | "forgetting" | "forgotten"} ${number}`;

/** What the child stores as its entry number `number`; the parent knows it by that. */
export function killEntry(number: number, tier: MemoryTier): EntryInput {
  return { key: { stored: number }, content: { number, text: `entry number ${number}` }, tier };
}

export function killRequestId(number: number): string {
  return `stored-by-the-child-${number}`;
}

/**
 * A child process opens the plugin on `directory`, and stores and forgets one entry after another, several at once;
 * when `count` stores are acknowledged it is killed. Gives what it had been told, and waits for its end.
 */
export async function killWhileStoring(
  implementation: PluginUnderTest,
  directory: string,
  tier: MemoryTier,
  count: number,
): Promise<Acknowledged> {
  const process = new PluginProcess("store-forever.js", implementation, { directory, tier });
  const told = new Told();
  for await (const line of process.lines()) {
    told.add(line as ChildLine);
    if (told.storedCount === count) process.kill();
  }
  if (told.storedCount >= count) return told.acknowledged(tier);
  const what = "a process that stores with the plugin";
  const got = `${told.storedCount}; it said: ${process.complaint}`;
  throw new ExpectationError({ what, expected: `${count} acknowledged entries`, got });
}

/** What the child's lines come to. Of a forget that was begun and not answered nothing is known. */
class Told {
  storedCount = 0;
  readonly #kept = new Set<number>();
  readonly #forgotten = new Set<number>();

  add(line: ChildLine): void {
    const [what, number] = line.split(" ") as [string, string];
    if (what === "stored") {
      this.storedCount++;
      this.#kept.add(Number(number));
    }
    if (what === "forgetting") this.#kept.delete(Number(number));
    if (what === "forgotten") this.#forgotten.add(Number(number));
  }

  acknowledged(tier: MemoryTier): Acknowledged {
    const kept = [...this.#kept].map((number) => ({
      entry: killEntry(number, tier),
      requestId: killRequestId(number),
    }));
    return { kept, forgotten: [...this.#forgotten].map((number) => killEntry(number, tier)) };
  }
}
