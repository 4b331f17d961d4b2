import { scopeId } from "@membus/protocol";
import { afterEach, expect, it } from "vitest";
import { lastNumber, runUntilKilled } from "../../disk/test/killed-child.js";
import { episodic, loadIds, StorageFixture } from "./storage-fixture.js";

const CHILD = new URL("search-forever.ts", import.meta.url);
/** File changes of the maintenance to kill at. */
const FILE_CHANGES = [1, 2, 4, 7];
/** Enough for an index of vectors in the first round. */
const ROWS = 17_000;
const alice = episodic("acme");
const fixture = new StorageFixture();

afterEach(() => fixture.end());

/** Returns the rows of rounds 0 to `last`. */
function expectedIds(last: number): number[] {
  const ids = Array.from({ length: (last + 1) * ROWS }, (_, id) => id);
  return ids.filter((id) => id % ROWS >= 10);
}

/** An index of codes, and one of vectors that have no whole number of bytes as codes. */
it.each([8, 4])(
  "a process killed while it changes an index of %d components leaves every synced row",
  async (dimensions) => {
    const directory = await fixture.directory();
    for (const [round, fileChange] of FILE_CHANGES.entries()) {
      const point = { after: `synced ${round}`, fileChange };
      const args = [directory, String(round), String(ROWS), String(dimensions)];
      const lines = await runUntilKilled(CHILD, args, point);
      expect(lastNumber(lines, "synced", -1)).toBe(round);
      const storage = await fixture.open(directory, { dimensions, embedder: "" });
      const ids = expectedIds(round);
      expect(await loadIds(storage, alice), `killed at file change ${fileChange}`).toEqual(ids);
      const { vectors } = storage;
      const rowIds = [ids[0]!, ids.at(-1)!];
      const read = await vectors!.read(scopeId(alice), rowIds);
      expect([...read.keys()].sort((a, b) => a - b)).toEqual(rowIds);
      const found = await vectors!.nearest(scopeId(alice), read.get(rowIds[0]!)!, 50);
      expect([...found.keys()].filter((id) => id % ROWS < 10)).toEqual([]);
      expect(found.size).toBeGreaterThan(40);
      await storage.close();
    }
  },
);
