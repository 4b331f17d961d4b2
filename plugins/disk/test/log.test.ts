import { rm } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger, systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { fileLog } from "../src/log/file-log.js";
import { openLog, segmentNames, temporaryDirectory } from "./log-fixture.js";
import { registerLogSuite } from "./log-suite/register-log-suite.js";

registerLogSuite("files", async () => {
  const directory = await temporaryDirectory();
  return {
    open: (recovery, limits) =>
      fileLog(limits)(directory, recovery, { clock: systemClock, logger: silentLogger }),
    partNames: () => segmentNames(join(directory, "log")),
    removePart: (name) => rm(join(directory, "log", name)),
  };
});

describe("options", () => {
  it.each([
    [{ segmentByte: 4096 }, "unknown option `segmentByte` (did you mean `segmentBytes`?)"],
    [{ durability: "none" }, "durability must be one of disk, process, got none"],
    [{ segmentBytes: 0 }, "segmentBytes must be an integer of 4096..1073741824, got 0"],
    [{ repair: 1 }, "repair must be true or false, got 1"],
  ])("refuses the options %j", async (options, message) => {
    const opening = openLog(await temporaryDirectory(), options as object);
    await expect(opening).rejects.toThrow(new TypeError(message));
  });
});
