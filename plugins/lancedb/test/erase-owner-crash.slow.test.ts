import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import { afterEach, expect, it } from "vitest";
import { FILE_CHANGES, runUntilKilled } from "../../disk/test/killed-child.js";
import { calls } from "../../kit/test/kit-calls.js";
import { openTier } from "./cascade-fixture.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

const CHILD = new URL("erase-owner-child.ts", import.meta.url);
const fixture = new StorageFixture();
afterEach(() => fixture.end());

it.each(["agent", "tenant"])(
  "the erasure of a whole %s is completed by the next opening after a kill",
  async (what) => {
    let started = 0;
    for (const fileChange of FILE_CHANGES) {
      const directory = await fixture.directory();
      const lines = await runUntilKilled(CHILD, [directory, "mallory", what], {
        after: "stored",
        fileChange,
      });
      const erased = lines.includes("erased");
      const { erasing } = JSON.parse(await readFile(join(directory, "folder.json"), "utf8"));
      const message = `killed at file change ${fileChange}, erasing ${JSON.stringify(erasing)}, erased ${erased}`;
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
