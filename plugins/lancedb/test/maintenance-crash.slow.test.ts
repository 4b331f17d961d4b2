import { basename, dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lastNumber, runUntilKilled } from "../../disk/test/killed-child.js";
import { episodic, listFiles, loadIds, StorageFixture } from "./storage-fixture.js";

const CHILD = new URL("maintain-forever.ts", import.meta.url);
/** File changes of the third purge to kill at. */
const FILE_CHANGES = [1, 2, 4, 8, 16];
const ROWS = 1_000;
const alice = episodic("acme");
const fixture = new StorageFixture();

afterEach(async () => {
  await fixture.end();
});

/** Kills a process at a file change in its third purge or after it. Returns the last synced round. */
async function killInMaintenance(directory: string, first: number, fileChange: number): Promise<number> {
  const point = { after: `synced ${first + 2}`, fileChange };
  const lines = await runUntilKilled(CHILD, [directory, String(first)], point);
  return lastNumber(lines, "synced", first - 1);
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
    for (const fileChange of FILE_CHANGES) {
      const synced = await killInMaintenance(directory, next, fileChange);
      expect(synced).toBeGreaterThanOrEqual(next + 2);
      const storage = await fixture.open(directory);
      const ids = await loadIds(storage, alice);
      expect(
        [expectedIds(synced), expectedIds(synced + 1)],
        `killed at file change ${fileChange}`,
      ).toContainEqual(ids);
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
