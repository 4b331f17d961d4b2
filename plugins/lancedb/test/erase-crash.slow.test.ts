import { randomInt } from "node:crypto";
import { type MemoryPlugin, systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openTier } from "./cascade-fixture.js";
import { runUntilKilled } from "./killed-child.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

/** MEMBUS_CRASH_ROUNDS=100 runs a longer test. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 8);
const ERASING_MS = 120;
const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;

afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
  await fixture.end();
});

/**
 * Kills a process `delayMs` after it has stored its third secret. Returns the last stored and erased rounds.
 */
async function killWhileErasing(directory: string, first: number, delayMs: number) {
  const last = { stored: first - 1, erased: first - 1 };
  await runUntilKilled("erase-child.ts", [directory, String(first)], (line, killAfter) => {
    const [what, round] = line.split(" ");
    if (what === "stored" || what === "erased") last[what] = Number(round);
    if (line === `stored ${first + 2}`) killAfter(delayMs);
  });
  return last;
}

describe("a process killed in a forget with purge", () => {
  it("has erased everything acknowledged, and a retry completes the rest with the first replies", async () => {
    const directory = await fixture.directory();
    let next = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const delayMs = randomInt(0, ERASING_MS);
      const { stored, erased } = await killWhileErasing(directory, next, delayMs);
      expect(stored).toBeGreaterThanOrEqual(next + 2);
      const what = `rounds ${next} to ${stored}, ${erased} the last erased, killed after ${delayMs} ms`;
      for (let past = next; past <= erased; past++) {
        expect(await filesWith(directory, `s3cret-${past}.`), what).toEqual([]);
      }
      plugin = await openTier(directory);
      const { store, forget, retrieve } = calls({ plugin, clock: systemClock });
      for (let again = next; again <= stored; again++) {
        const entries = [{ key: `a${again}`, content: `s3cret-${again}.` }, { key: `kept ${again}` }];
        const { receipts } = await store(entries, { id: `s${again}` });
        expect(
          receipts.map(({ outcome }) => outcome),
          what,
        ).toEqual(["created", "created"]);
        const forgotten = await forget({ keys: [`a${again}`] }, { id: `f${again}`, purge: true });
        expect(forgotten, what).toMatchObject({ deleted: 1, purge: "done" });
        expect(await filesWith(directory, `s3cret-${again}.`), what).toEqual([]);
      }
      // One more may have been stored just before the kill.
      await forget({ keys: [`a${stored + 1}`] }, { id: `f${stored + 1}`, purge: true });
      expect(await filesWith(directory, "s3cret-"), what).toEqual([]);
      const kept = Array.from({ length: stored - next + 1 }, (_, n) => `kept ${next + n}`);
      expect((await retrieve({ criteria: { keys: kept } })).total, what).toBe(kept.length);
      await plugin.close?.();
      plugin = undefined;
      next = stored + 2;
    }
  });
});
