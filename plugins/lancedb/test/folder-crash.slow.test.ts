import { systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { lastNumber, runUntilKilled } from "../../disk/test/killed-child.js";
import { calls } from "../../kit/test/kit-calls.js";
import { openFolder, type Warning } from "./folder-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const CHILD = new URL("folder-child.ts", import.meta.url);
/** File changes after the opening to kill at. */
const FILE_CHANGES = [1, 7, 20, 45, 80, 130, 200, 290, 400, 530];
const fixture = new StorageFixture();

afterEach(async () => {
  await fixture.end();
});

/** Returns the last acknowledged entry. */
async function storeUntilKilled(directory: string, first: number, fileChange: number): Promise<number> {
  const lines = await runUntilKilled(CHILD, [directory, String(first)], { after: "open", fileChange });
  expect(lines).toContain("open");
  return lastNumber(lines, "stored", first - 1);
}

async function countTo(directory: string, last: number): Promise<[count: number, warnings: Warning[]]> {
  const warnings: Warning[] = [];
  const plugin = await openFolder(directory, {}, warnings);
  let count = 0;
  for (let tenant = 0; tenant <= Math.floor((last + 1) / 10); tenant++) {
    const { retrieve } = calls({ plugin, clock: systemClock }, { tenant: `t${tenant}` });
    count += (await retrieve({ limit: 0 })).total;
  }
  await plugin.close!();
  return [count, warnings];
}

describe("a process killed while it creates segments and tables, and flushes", () => {
  it("leaves a complete folder", async () => {
    const directory = await fixture.directory();
    let next = 0;
    for (const fileChange of FILE_CHANGES) {
      const last = await storeUntilKilled(directory, next, fileChange);
      const [count, warnings] = await countTo(directory, last);
      // One more may be stored than was acknowledged.
      expect([last + 1, last + 2], `killed at file change ${fileChange}`).toContain(count);
      const known = ["cut an unacknowledged write off the end of the log"];
      expect(warnings.filter(({ message }) => !known.includes(message))).toEqual([]);
      next = count;
    }
    expect(next).toBeGreaterThan(FILE_CHANGES.length);
  });
});
