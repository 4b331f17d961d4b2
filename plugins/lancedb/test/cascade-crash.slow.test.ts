import { randomInt } from "node:crypto";
import type { MemoryPlugin } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { countRemaining, fell, openTier, TREE_SIZE } from "./cascade-fixture.js";
import { runUntilKilled } from "./killed-child.js";
import { StorageFixture } from "./storage-fixture.js";

/** MEMBUS_CRASH_ROUNDS=100 runs a longer test. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 8);
const FELLING_MS = 12;
const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;

afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
  await fixture.end();
});

/**
 * Kills a process `delayMs` after it has stored its third tree. Returns the last stored and forgotten rounds.
 */
async function killWhileFelling(directory: string, first: number, delayMs: number) {
  const last = { planted: first - 1, felled: first - 1 };
  await runUntilKilled("cascade-child.ts", [directory, String(first)], (line, killAfter) => {
    const [what, round] = line.split(" ");
    if (what === "planted" || what === "felled") last[what] = Number(round);
    if (line === `planted ${first + 2}`) killAfter(delayMs);
  });
  return last;
}

describe("a process killed in a forget with cascade", () => {
  it("leaves the tree or nothing, nothing once it is acknowledged, and a retry completes it", async () => {
    const directory = await fixture.directory();
    let next = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const delayMs = randomInt(0, FELLING_MS);
      const { planted, felled } = await killWhileFelling(directory, next, delayMs);
      expect(planted).toBeGreaterThanOrEqual(next + 2);
      plugin = await openTier(directory);
      const left = await countRemaining(plugin, planted + 2);
      const what = `rounds ${next} to ${planted}, ${felled} the last felled, killed after ${delayMs} ms`;
      for (let past = 0; past <= felled; past++) expect(left[past], what).toEqual([0, 3]);
      for (let open = felled + 1; open <= planted; open++) {
        expect([0, TREE_SIZE], what).toContain(left[open]![0]);
        expect(await fell(plugin, open), what).toMatchObject({ deleted: TREE_SIZE, cascaded: [40, 40] });
      }
      const after = await countRemaining(plugin, planted + 2);
      expect(after.slice(0, planted + 1), what).toEqual(Array(planted + 1).fill([0, 3]));
      await plugin.close?.();
      plugin = undefined;
      next = planted + 1;
    }
  });
});
