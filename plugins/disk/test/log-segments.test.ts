import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  append,
  appendEach,
  contents,
  openLog,
  reopened,
  segmentNames,
  temporaryDirectory,
} from "./log-fixture.js";

const FIRST = "00000000000000000001.log";
const THIRD = "00000000000000000004.log";

/** Creates records 1 and 2, 3, 4 in three segments. */
async function threeSegments() {
  const directory = await temporaryDirectory();
  const log = await openLog(directory);
  await appendEach(log, ["one", "two"]);
  await log.rotate();
  await append(log, "three");
  await log.rotate();
  await append(log, "four");
  return { directory, log };
}

describe("segments", () => {
  it("start when the newest has segmentBytes, and are named by their first record", async () => {
    const directory = await temporaryDirectory();
    const log = await openLog(directory, { segmentBytes: 4096 });
    const text = "x".repeat(1500);
    await appendEach(log, [text, text, text, text]);
    // The header has 36 bytes and each record 1,520: the third exceeds 4,096.
    expect(await segmentNames(directory)).toEqual([FIRST, THIRD]);
    expect(log.stats).toMatchObject({
      segmentCount: 2,
      sizeBytes: 2 * 36 + 4 * 1520,
      firstSeq: 1,
      nextSeq: 5,
    });
    await log.close();
    expect(await reopened(directory)).toEqual([`1:${text}`, `2:${text}`, `3:${text}`, `4:${text}`]);
  });

  it("are only the files with segment names", async () => {
    const { directory, log } = await threeSegments();
    await log.close();
    const others = ["1.log", "00000000000000000003.log.corrupt-1", "99999999999999999999.log", "notes.txt"];
    for (const name of others) await writeFile(join(directory, name), "not a segment");
    const again = await openLog(directory);
    expect(await contents(again)).toEqual(["1:one", "2:two", "3:three", "4:four"]);
    await again.trim(100);
    expect(new Set(await readdir(directory))).toEqual(new Set([THIRD, ...others]));
  });
});
