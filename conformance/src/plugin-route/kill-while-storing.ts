import { existsSync, readFileSync } from "node:fs";
import type { MemoryTier } from "@membus/protocol";
import type { Acknowledged } from "../context.js";
import { ExpectationError } from "../expect.js";
import type { EntryInput } from "../memory-agent.js";
import { PluginProcess } from "./plugin-process.js";
import type { PluginUnderTest } from "./plugin-under-test.js";

/** Line of the child's diary about entry `number`, such as `stored 7` after the acknowledgement. */
export type ChildLine = `${"stored" | "forgetting" | "forgotten"} ${number}`;

/** Returns the entry `number` that the child stores. The parent recognises it by the number. */
export function killEntry(number: number, tier: MemoryTier): EntryInput {
  return { key: { stored: number }, content: { number, text: `entry number ${number}` }, tier };
}

/** Place and number of the stores until a process is killed. */
export interface KilledStores {
  readonly directory: string;
  /** File outside the directory. */
  readonly diary: string;
  readonly tier: MemoryTier;
  readonly count: number;
}

export function killRequestId(number: number): string {
  return `stored-by-the-child-${number}`;
}

/**
 * Starts a child process that opens the plugin on `directory` and stores and forgets entries, several
 * concurrently. Right after `count` acknowledged stores it kills itself.
 *
 * The child writes each change to `diary` before it continues, because the last lines of a full pipe are lost
 * in a kill. Returns the acknowledged changes.
 */
export async function killWhileStoring(
  implementation: PluginUnderTest,
  { directory, diary, tier, count }: KilledStores,
): Promise<Acknowledged> {
  const args = { directory, tier, more: [diary, String(count)] };
  const process = new PluginProcess("store-forever.js", implementation, args);
  await process.ended();
  const reported = new ReportedChanges();
  const lines = existsSync(diary) ? readFileSync(diary, "utf8").split("\n") : [];
  for (const line of lines.slice(0, -1)) reported.add(line as ChildLine);
  if (reported.storedCount >= count) return reported.acknowledged(tier);
  const what = "a process that stores with the plugin";
  const got = `${reported.storedCount}, output: ${process.complaint}`;
  throw new ExpectationError({ what, expected: `${count} acknowledged entries`, got });
}

/** Changes acknowledged to the child, from its lines. The result of an unanswered forget is unknown. */
class ReportedChanges {
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
