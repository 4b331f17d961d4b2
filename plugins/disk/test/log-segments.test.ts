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
const SECOND = "00000000000000000003.log";
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

  it("start on rotate, but not twice at one number", async () => {
    const { directory, log } = await threeSegments();
    expect(await segmentNames(directory)).toEqual([FIRST, SECOND, THIRD]);
    await log.rotate();
    await log.rotate();
    expect(await segmentNames(directory)).toEqual([FIRST, SECOND, THIRD, "00000000000000000005.log"]);
    expect(await contents(log)).toEqual(["1:one", "2:two", "3:three", "4:four"]);
  });

  it("start between groups while appends are running", async () => {
    const directory = await temporaryDirectory();
    const log = await openLog(directory);
    const first = append(log, "a");
    const rotation = log.rotate();
    const second = append(log, "b");
    expect(await Promise.all([first, rotation, second])).toEqual([1, undefined, 2]);
    expect(await contents(log)).toEqual(["1:a", "2:b"]);
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

describe("trim", () => {
  it.each([
    [1, [FIRST, SECOND, THIRD], 1],
    [2, [FIRST, SECOND, THIRD], 1],
    [3, [SECOND, THIRD], 3],
    [4, [THIRD], 4],
    [1000, [THIRD], 4],
  ])("below %i keeps the segments %j", async (before, names, firstSeq) => {
    const { directory, log } = await threeSegments();
    await log.trim(before);
    expect(await segmentNames(directory)).toEqual(names);
    expect(log.stats).toMatchObject({ firstSeq, nextSeq: 5, segmentCount: names.length });
  });

  it("is durable, and numbers continue", async () => {
    const { directory, log } = await threeSegments();
    await log.trim(4);
    await log.close();
    const again = await openLog(directory);
    expect(await contents(again)).toEqual(["4:four"]);
    expect(await append(again, "five")).toBe(5);
  });

  it("empties the log after a rotation, and numbers still continue", async () => {
    const { directory, log } = await threeSegments();
    await log.rotate();
    await log.trim(log.nextSeq);
    expect(log.stats).toMatchObject({ firstSeq: 5, nextSeq: 5, segmentCount: 1, sizeBytes: 36 });
    await log.close();
    const again = await openLog(directory);
    expect(await contents(again)).toEqual([]);
    expect(await append(again, "five")).toBe(5);
  });

  it("twice at a time removes each segment once", async () => {
    const { directory, log } = await threeSegments();
    await Promise.all([log.trim(4), log.trim(4)]);
    expect(await segmentNames(directory)).toEqual([THIRD]);
  });
});

describe("opening", () => {
  it("passes on every kept record, oldest first", async () => {
    const { directory, log } = await threeSegments();
    await log.trim(3);
    await log.close();
    const records: string[] = [];
    await openLog(directory, { onRecord: (seq, payload) => records.push(`${seq}:${Buffer.from(payload)}`) });
    expect(records).toEqual(["3:three", "4:four"]);
  });

  it("fails with the error of the receiver", async () => {
    const { directory, log } = await threeSegments();
    await log.close();
    const onRecord = (seq: number): void => {
      if (seq === 3) throw new RangeError("enough");
    };
    await expect(openLog(directory, { onRecord })).rejects.toThrow(new RangeError("enough"));
  });
});

describe("close", () => {
  it("waits for queued records and refuses later ones", async () => {
    const directory = await temporaryDirectory();
    const log = await openLog(directory, { durability: "process" });
    const queued = [append(log, "a"), append(log, "b")];
    const closing = log.close();
    const refused = { code: "unavailable", message: "the log is closed. Open it again" };
    await expect(append(log, "c")).rejects.toMatchObject(refused);
    await expect(log.read(1)).rejects.toMatchObject(refused);
    await expect(log.trim(1)).rejects.toMatchObject(refused);
    await expect(log.rotate()).rejects.toMatchObject(refused);
    await expect(log.sync()).rejects.toMatchObject(refused);
    expect(await Promise.all(queued)).toEqual([1, 2]);
    await closing;
    await log.close();
    expect(await reopened(directory)).toEqual(["1:a", "2:b"]);
  });
});
