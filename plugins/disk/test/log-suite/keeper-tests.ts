import { describe, expect, it } from "vitest";
import { append, contents } from "../log-fixture.js";
import { type CreateLog, threeSegments } from "./log-under-test.js";

const ALL = ["1:one", "2:two", "3:three", "4:four"];

/** Creates a closed log with records 1 and 2, 3, 4 in three segments that its keeper knows. */
async function logWithKeeper(create: CreateLog) {
  const { test, log } = await threeSegments(create);
  await log.close();
  return test;
}

export function registerKeeperTests(create: CreateLog): void {
  describe("the keeper", () => {
    it("gets the parts before a record is written to them", async () => {
      const test = await logWithKeeper(create);
      const kept = [...test.keeper.kept!];
      expect(kept.length).toBe(3);
      test.keeper.failures = 1;
      await expect(test.open()).rejects.toThrow("EIO");
      const log = await test.open();
      test.keeper.failures = 1;
      await expect(log.rotate()).rejects.toThrow("EIO");
      expect(log.stats.segmentCount).toBe(3);
      expect(test.keeper.kept).toEqual(kept);
      expect(await append(log, "five")).toBe(5);
      expect(await contents(log)).toEqual([...ALL, "5:five"]);
    });

    it.each([
      ["its newest segment", [2], 4, ALL.slice(0, 3)],
      ["its newest two", [1, 2], 3, ALL.slice(0, 2)],
      ["all of it", [0, 1, 2], 1, []],
      ["its middle", [1], 3, ["1:one", "2:two", "4:four"]],
      ["its beginning", [0], 1, ["3:three", "4:four"]],
    ])("detects that the log lacks %s", async (_what, positions, seq, remaining) => {
      const test = await logWithKeeper(create);
      await test.removeParts(positions);
      await expect(test.open()).rejects.toMatchObject({
        code: "runtime_error",
        detail: { reason: "log_incomplete", seq, remedy: "--accept-loss" },
      });
      expect(await test.reopened({ acceptLoss: true })).toEqual(remaining);
      const log = await test.open();
      // No number of a lost record is assigned again.
      expect(await append(log, "new")).toBeGreaterThan(4);
    });

    it("needs no records that are stored elsewhere", async () => {
      const test = await logWithKeeper(create);
      await test.removeParts([0, 1]);
      await expect(test.open({ nextSeqMin: 3 })).rejects.toMatchObject({ detail: { seq: 3 } });
      expect(await test.reopened({ nextSeqMin: 4 })).toEqual(["4:four"]);
    });
  });
}
