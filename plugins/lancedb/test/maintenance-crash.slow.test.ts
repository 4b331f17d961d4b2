import { randomInt } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runUntilKilled } from "./killed-child.js";
import { episodic, listFiles, loadIds, StorageFixture } from "./storage-fixture.js";

/** MEMBUS_CRASH_ROUNDS=30 runs a longer test. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 5);
const PURGE_MS = 60;
const ROWS = 1_000;
const alice = episodic("acme");
const fixture = new StorageFixture();

afterEach(async () => {
  await fixture.end();
});

/**
 * Lets a process start several purges and kills it `delayMs` into the last. Returns the last synced round.
 */
async function killInMaintenance(directory: string, first: number, delayMs: number): Promise<number> {
  let synced = first - 1;
  let purges = 0;
  await runUntilKilled("maintain-forever.ts", [directory, String(first)], (line, killAfter) => {
    if (line.startsWith("synced ")) synced = Number(line.slice("synced ".length));
    else if (++purges === 3) killAfter(delayMs);
  });
  return synced;
}

/** Returns the rows of rounds 0 to `last`, as they are when `last` is synced. */
function expectedIds(last: number): number[] {
  const ids = Array.from({ length: (last + 1) * ROWS }, (_, id) => id);
  return ids.filter((id) => id % ROWS >= 10 || id >= last * ROWS);
}

describe("a process killed while it compacts, or builds indexes", () => {
  it("leaves the table as of one of its syncs", async () => {
    const directory = await fixture.directory();
    let next = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const delayMs = randomInt(0, PURGE_MS);
      const synced = await killInMaintenance(directory, next, delayMs);
      expect(synced).toBeGreaterThanOrEqual(next + 2);
      const storage = await fixture.open(directory);
      const ids = await loadIds(storage, alice);
      expect([expectedIds(synced), expectedIds(synced + 1)], `killed after ${delayMs} ms`).toContainEqual(
        ids,
      );
      await storage.maintain({ purge: true });
      expect(await loadIds(storage, alice)).toEqual(ids);
      await storage.close();
      const files = await listFiles(join(directory, "table"));
      expect(files.filter((file) => basename(file).startsWith("."))).toEqual([]);
      const indexes = new Set(files.filter((file) => file.includes("_indices")).map(dirname));
      expect(indexes.size, "directories of indexes").toBeLessThanOrEqual(2);
      next = Math.floor(ids.reduce((a, b) => Math.max(a, b)) / ROWS) + 1;
    }
  });
});
