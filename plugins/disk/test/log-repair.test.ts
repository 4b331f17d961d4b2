import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLogFile } from "../src/log/log-file.js";
import {
  append,
  appendEach,
  contents,
  openLog,
  recordingLogger,
  reopened,
  segmentNames,
  temporaryDirectory,
} from "./log-fixture.js";

const FIRST = "00000000000000000001.log";
const SECOND = "00000000000000000004.log";
const THIRD = "00000000000000000005.log";

/** Creates records 1 to 3, 4, 5 in three segments. */
async function fiveRecords() {
  const directory = await temporaryDirectory();
  const log = await openLog(directory);
  await appendEach(log, ["one", "two", "three"]);
  await log.rotate();
  await append(log, "four");
  await log.rotate();
  await append(log, "five");
  await log.close();
  return directory;
}

async function damage(directory: string, name: string, offset: number): Promise<Buffer> {
  const bytes = await readFile(join(directory, name));
  bytes[offset]! ^= 1;
  await writeFile(join(directory, name), bytes);
  return bytes;
}

describe("repair", () => {
  it("keeps all records except the damaged one, and a copy of its file", async () => {
    const directory = await fiveRecords();
    const damaged = await damage(directory, FIRST, 80);
    await expect(openLog(directory)).rejects.toMatchObject({
      message: expect.stringContaining("Opening it loses 1 record (2) and keeps 4 readable records"),
      detail: { reason: "log_corrupt", offset: 59, seq: 2, remedy: "--repair", readable_count: 4 },
    });
    const log = await openLog(directory, { repair: true });
    expect(await contents(log)).toEqual(["1:one", "3:three", "4:four", "5:five"]);
    expect(await append(log, "new")).toBe(6);
    await log.close();
    const names = [FIRST, `${FIRST}.corrupt-1`, SECOND, THIRD];
    expect(new Set(await readdir(directory))).toEqual(new Set(names));
    expect((await readFile(join(directory, `${FIRST}.corrupt-1`))).equals(damaged)).toBe(true);
    expect(await reopened(directory)).toEqual(["1:one", "3:three", "4:four", "5:five", "6:new"]);
  });

  it("reports the lost records", async () => {
    const directory = await fiveRecords();
    await damage(directory, SECOND, 50);
    const logger = recordingLogger();
    const log = await openLog(directory, { repair: true, logger });
    const path = (name: string): string => join(directory, name);
    const loss = {
      ...{ kind: "damaged", file: path(SECOND), offset: 36, seq: 4, nextSeq: 5 },
      reason: "the record is damaged, although it was acknowledged",
    };
    const fields = { losses: [loss], copies: [path(`${SECOND}.corrupt-1`)] };
    const message =
      "repaired the log: all readable records are kept, the changes and forgets of lost records are undone";
    expect(logger.warnings).toEqual([{ fields, message }]);
    expect(await contents(log)).toEqual(["1:one", "2:two", "3:three", "5:five"]);
  });

  it("finds records after several damaged ones, and reports the number first", async () => {
    const directory = await temporaryDirectory();
    const log = await openLog(directory);
    await appendEach(log, ["a", "b", "c", "d", "e", "f", "g"]);
    await log.close();
    for (const seq of [2, 5, 6]) await damage(directory, FIRST, 36 + 21 * (seq - 1) + 20);
    await expect(openLog(directory)).rejects.toMatchObject({
      message: expect.stringContaining(
        "Opening it loses 1 record (2) and 2 records (5 to 6) and keeps 4 readable",
      ),
    });
    const kept = ["1:a", "3:c", "4:d", "7:g"];
    expect(await reopened(directory, { repair: true })).toEqual(kept);
    expect(await reopened(directory)).toEqual(kept);
  });

  it("sets a segment without a readable header aside as a whole, and keeps later segments", async () => {
    const directory = await fiveRecords();
    await damage(directory, FIRST, 3);
    const kept = ["4:four", "5:five"];
    expect(await reopened(directory, { repair: true })).toEqual(kept);
    expect(await reopened(directory)).toEqual(kept);
  });

  it("does not replace a missing segment", async () => {
    const directory = await fiveRecords();
    await rm(join(directory, SECOND));
    const refused = { detail: { reason: "log_incomplete", remedy: "--accept-loss" } };
    await expect(openLog(directory, { repair: true })).rejects.toMatchObject(refused);
    const kept = ["1:one", "2:two", "3:three", "5:five"];
    expect(await reopened(directory, { acceptLoss: true })).toEqual(kept);
    expect(await reopened(directory)).toEqual(kept);
  });
});

describe("a second repair", () => {
  it("keeps the copies of an earlier repair", async () => {
    const directory = await fiveRecords();
    await damage(directory, FIRST, 80);
    await reopened(directory, { repair: true });
    await damage(directory, FIRST, 58);
    expect(await reopened(directory, { repair: true })).toEqual(["3:three", "4:four", "5:five"]);
    expect(await readdir(directory)).toEqual(
      expect.arrayContaining([`${FIRST}.corrupt-1`, `${FIRST}.corrupt-2`]),
    );
  });

  it.each([1, 2, 3])("completes one that failed at file number %i", async (count) => {
    const directory = await fiveRecords();
    await damage(directory, FIRST, 80);
    await damage(directory, SECOND, 50);
    let writes = 0;
    const failing = openLog(directory, {
      repair: true,
      openFile: async (path, flags) => {
        if (flags !== "r" && ++writes === count) throw new RangeError("stop here");
        return openLogFile(path, flags);
      },
    });
    await expect(failing).rejects.toThrow("stop here");
    await expect(openLog(directory)).rejects.toMatchObject({ detail: { reason: "log_corrupt" } });
    const kept = ["1:one", "3:three", "5:five"];
    expect(await reopened(directory, { repair: true })).toEqual(kept);
    expect(await reopened(directory)).toEqual(kept);
  });

  it("changes nothing in an intact log", async () => {
    const directory = await fiveRecords();
    const all = ["1:one", "2:two", "3:three", "4:four", "5:five"];
    expect(await reopened(directory, { repair: true })).toEqual(all);
    expect(await segmentNames(directory)).toEqual([FIRST, SECOND, THIRD]);
  });
});
