import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import { afterEach, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openTier } from "./cascade-fixture.js";
import { runUntilKilled } from "./killed-child.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

/** MEMBUS_CRASH_ROUNDS=100 runs a longer test. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 8);
const ERASING_MS = 150;
const fixture = new StorageFixture();
afterEach(() => fixture.end());

it.each(["agent", "tenant"])(
  "the erasure of a whole %s is completed by the next opening after a kill",
  async (what) => {
    let started = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const directory = await fixture.directory();
      const delayMs = randomInt(0, ERASING_MS);
      let erased = false;
      await runUntilKilled("erase-owner-child.ts", [directory, "mallory", what], (line, killAfter) => {
        if (line === "stored") killAfter(delayMs);
        erased ||= line === "erased";
      });
      const { erasing } = JSON.parse(await readFile(join(directory, "folder.json"), "utf8"));
      const message = `killed after ${delayMs} ms, erasing ${JSON.stringify(erasing)}, erased ${erased}`;
      if (erasing.length > 0) started++;
      const plugin = await openTier(directory);
      const { total } = await calls({ plugin, clock: systemClock }, { agent: "mallory" }).retrieve();
      const isErased = erasing.length > 0 || erased;
      if (isErased) expect([total, await filesWith(directory, "mallory")], message).toEqual([0, []]);
      await plugin.eraseOwner({ tenant: "acme", agent: "mallory" });
      await plugin.close();
      expect(await filesWith(directory, "mallory"), message).toEqual([]);
    }
    expect(started, "kills in an erasure").toBeGreaterThan(0);
  },
);
