import { randomInt } from "node:crypto";
import { systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openFolder, type Warning } from "./folder-fixture.js";
import { runUntilKilled } from "./killed-child.js";
import { StorageFixture } from "./storage-fixture.js";

/** MEMBUS_CRASH_ROUNDS=100 runs a longer test. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 10);
const LIFE_MS = 400;
const fixture = new StorageFixture();

afterEach(async () => {
  await fixture.end();
});

/** @returns the last acknowledged entry. */
async function storeUntilKilled(directory: string, first: number, lifeMs: number): Promise<number> {
  let last = first - 1;
  let isOpen = false;
  await runUntilKilled("folder-child.ts", [directory, String(first)], (line, killAfter) => {
    if (line === "open") {
      isOpen = true;
      killAfter(lifeMs);
    } else if (line.startsWith("stored ")) {
      last = Number(line.slice("stored ".length));
    }
  });
  expect(isOpen).toBe(true);
  return last;
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
    for (let round = 0; round < ROUNDS; round++) {
      const lifeMs = randomInt(0, LIFE_MS);
      const last = await storeUntilKilled(directory, next, lifeMs);
      const [count, warnings] = await countTo(directory, last);
      // One more may be stored than was acknowledged.
      expect([last + 1, last + 2], `killed after ${lifeMs} ms`).toContain(count);
      const known = ["cut an unacknowledged write off the end of the log"];
      expect(warnings.filter(({ message }) => !known.includes(message))).toEqual([]);
      next = count;
    }
    expect(next).toBeGreaterThan(ROUNDS);
  });
});
