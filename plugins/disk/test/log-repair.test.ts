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

/** Records 1 to 3, 4, 5 in three segments. */
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
  it("keeps the records before the damage and sets the rest aside", async () => {
    const directory = await fiveRecords();
    const damaged = await damage(directory, FIRST, 80);
    const third = await readFile(join(directory, THIRD));
    await expect(openLog(directory)).rejects.toMatchObject({ detail: { offset: 59, seq: 2 } });
    const log = await openLog(directory, { repair: true });
    expect(await contents(log)).toEqual(["1:one"]);
    // Going by its 60 bytes, the newest segment may have held the records 5 to 8.
    expect(await append(log, "new")).toBe(9);
    await log.close();
    const names = [FIRST, `${FIRST}.corrupt-1`, `${SECOND}.corrupt-1`, `${THIRD}.corrupt-1`];
    expect(new Set(await readdir(directory))).toEqual(new Set([...names, "00000000000000000009.log"]));
    expect((await readFile(join(directory, `${FIRST}.corrupt-1`))).equals(damaged)).toBe(true);
    expect((await readFile(join(directory, `${THIRD}.corrupt-1`))).equals(third)).toBe(true);
    expect(await reopened(directory)).toEqual(["1:one", "9:new"]);
  });

  it("says what was lost", async () => {
    const directory = await fiveRecords();
    await damage(directory, SECOND, 50);
    const logger = recordingLogger();
    const log = await openLog(directory, { repair: true, logger });
    const path = (name: string): string => join(directory, name);
    expect(logger.warnings).toEqual([
      {
        fields: {
          file: path(SECOND),
          offset: 36,
          seq: 4,
          reason: "the record is damaged, and it was acknowledged",
          cutBytes: 24 + 60,
          copies: [path(`${SECOND}.corrupt-1`), path(`${THIRD}.corrupt-1`)],
          nextSeq: 9,
        },
        message: "repaired a corrupt log: the records from the damage on are lost",
      },
    ]);
    expect(log.stats).toMatchObject({ cutBytes: 84, nextSeq: 9 });
    expect(await contents(log)).toEqual(["1:one", "2:two", "3:three"]);
  });

  it("goes on where a segment is missing, without what follows it", async () => {
    const directory = await fiveRecords();
    await rm(join(directory, SECOND));
    const log = await openLog(directory, { repair: true });
    expect(await contents(log)).toEqual(["1:one", "2:two", "3:three"]);
    expect(await append(log, "new")).toBe(9);
    await log.close();
    expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:three", "9:new"]);
  });

  it("sets a segment without a readable header aside as a whole", async () => {
    const directory = await fiveRecords();
    await damage(directory, FIRST, 3);
    expect(await reopened(directory, { repair: true })).toEqual([]);
    expect(await reopened(directory)).toEqual([]);
  });
});

describe("a second repair", () => {
  it("keeps the copies of an earlier repair", async () => {
    const directory = await fiveRecords();
    await damage(directory, FIRST, 100);
    expect(await reopened(directory, { repair: true })).toEqual(["1:one", "2:two"]);
    await damage(directory, FIRST, 60);
    expect(await reopened(directory, { repair: true })).toEqual(["1:one"]);
    expect(await readdir(directory)).toEqual(
      expect.arrayContaining([`${FIRST}.corrupt-1`, `${FIRST}.corrupt-2`]),
    );
  });

  it.each([1, 2, 3])("ends one that failed at its file number %i", async (count) => {
    const directory = await fiveRecords();
    await damage(directory, FIRST, 80);
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
    const log = await openLog(directory, { repair: true });
    expect(await contents(log)).toEqual(["1:one"]);
    expect(await append(log, "new")).toBeGreaterThan(8);
  });

  it("changes nothing in a log that is sound", async () => {
    const directory = await fiveRecords();
    const all = ["1:one", "2:two", "3:three", "4:four", "5:five"];
    expect(await reopened(directory, { repair: true })).toEqual(all);
    expect(await segmentNames(directory)).toEqual([FIRST, SECOND, THIRD]);
  });
});
