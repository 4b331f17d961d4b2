import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { FILE_CHANGES, lastNumber, runUntilKilled } from "../../disk/test/killed-child.js";
import { calls } from "../../kit/test/kit-calls.js";
import { openTier } from "./cascade-fixture.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

const CHILD = new URL("erase-child.ts", import.meta.url);
const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;

afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
  await fixture.end();
});

/** Kills a process at a file change after it stored its third secret. Returns the last stored and erased rounds. */
async function killWhileErasing(directory: string, first: number, fileChange: number) {
  const point = { after: `stored ${first + 2}`, fileChange };
  const lines = await runUntilKilled(CHILD, [directory, String(first)], point);
  return { stored: lastNumber(lines, "stored", first - 1), erased: lastNumber(lines, "erased", first - 1) };
}

describe("a process killed in a forget with purge", () => {
  it("has erased everything acknowledged, and a retry completes the rest with the first replies", async () => {
    const directory = await fixture.directory();
    let next = 0;
    for (const fileChange of FILE_CHANGES) {
      const { stored, erased } = await killWhileErasing(directory, next, fileChange);
      expect(stored).toBeGreaterThanOrEqual(next + 2);
      const what = `rounds ${next} to ${stored}, ${erased} the last erased, killed at file change ${fileChange}`;
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
