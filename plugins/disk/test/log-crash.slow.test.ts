import { describe, expect, it } from "vitest";
import { runUntilKilled } from "./killed-child.js";
import { contents, openLog, temporaryDirectory } from "./log-fixture.js";

const CHILD = new URL("log-append-forever.ts", import.meta.url);
/** File changes after the first acknowledgement of a process: 1, 2, 4, 7, 11 and so on to 191. */
const FILE_CHANGES = Array.from({ length: 20 }, (_, n) => 1 + (n * (n + 1)) / 2);

describe("a process killed at any file change", () => {
  it("leaves every acknowledged record in order, without duplicates, even after further kills", async () => {
    const directory = await temporaryDirectory();
    let before: string[] = [];
    for (const [kill, fileChange] of FILE_CHANGES.entries()) {
      const after = String(before.length + 1);
      const lines = await runUntilKilled(CHILD, [directory, `run${kill}`], { after, fileChange });
      const acknowledged = lines.map(Number);
      const log = await openLog(directory);
      const now = (await contents(log)).map((record) => record.replace(/x*$/, ""));
      await log.close();
      expect(now.slice(0, before.length)).toEqual(before);
      const added = now.slice(before.length);
      const numbers = added.map((_, index) => before.length + 1 + index);
      expect(added).toEqual(numbers.map((seq) => `${seq}:${seq} run${kill} `));
      expect(acknowledged).toEqual(numbers.slice(0, acknowledged.length));
      expect(acknowledged.length).toBeGreaterThan(0);
      before = now;
    }
  });
});
