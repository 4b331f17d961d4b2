import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { FILE_CHANGES, lastNumber, runUntilKilled } from "../../disk/test/killed-child.js";
import { countRemaining, fell, openTier, TREE_SIZE } from "./cascade-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const CHILD = new URL("cascade-child.ts", import.meta.url);
const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;

afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
  await fixture.end();
});

/** Kills a process at a file change after it stored its third tree. Returns the last stored and forgotten rounds. */
async function killWhileFelling(directory: string, first: number, fileChange: number) {
  const point = { after: `planted ${first + 2}`, fileChange };
  const lines = await runUntilKilled(CHILD, [directory, String(first)], point);
  return { planted: lastNumber(lines, "planted", first - 1), felled: lastNumber(lines, "felled", first - 1) };
}

describe("a process killed in a forget with cascade", () => {
  it("leaves the tree or nothing, nothing once it is acknowledged, and a retry completes it", async () => {
    const directory = await fixture.directory();
    let next = 0;
    for (const fileChange of FILE_CHANGES) {
      const { planted, felled } = await killWhileFelling(directory, next, fileChange);
      expect(planted).toBeGreaterThanOrEqual(next + 2);
      plugin = await openTier(directory);
      const left = await countRemaining(plugin, planted + 2);
      const what = `rounds ${next} to ${planted}, ${felled} the last felled, killed at file change ${fileChange}`;
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
