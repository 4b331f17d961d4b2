import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogPart } from "../src/log/log.js";
import { append, appendEach, contents, openLog, recordingLogger, temporaryDirectory } from "./log-fixture.js";

/** Opens a snapshot with its keeper and checks that nothing is wrong with it. */
async function openSnapshot(directory: string, kept: readonly LogPart[], nextSeqMin = 1) {
  const logger = recordingLogger();
  const log = await openLog(directory, { logger, nextSeqMin, keeper: { kept, keep: async () => undefined } });
  expect(logger.warnings).toEqual([]);
  return log;
}

describe("a snapshot of a log", () => {
  it("contains the acknowledged records, but no later ones", async () => {
    const log = await openLog(await temporaryDirectory());
    const target = join(await temporaryDirectory(), "log");
    await appendEach(log, ["one", "two"]);
    await log.rotate();
    await append(log, "three");
    const taken = log.snapshot(target);
    await append(log, "four");
    const parts = await taken;
    await append(log, "five");
    const copy = await openSnapshot(target, parts);
    expect((await contents(copy)).slice(0, 3)).toEqual(["1:one", "2:two", "3:three"]);
    expect(await contents(copy)).not.toContain("5:five");
    expect(await append(copy, "another")).toBeLessThanOrEqual(5);
    expect(await contents(log)).toEqual(["1:one", "2:two", "3:three", "4:four", "5:five"]);
  });

  it("continues the numbers of an empty log", async () => {
    const log = await openLog(await temporaryDirectory());
    await appendEach(log, ["one", "two"]);
    await log.rotate();
    await log.trim(3);
    const target = join(await temporaryDirectory(), "log");
    const copy = await openSnapshot(target, await log.snapshot(target), 3);
    expect(await append(copy, "three")).toBe(3);
  });
});
