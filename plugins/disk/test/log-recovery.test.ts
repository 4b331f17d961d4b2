import { randomBytes } from "node:crypto";
import { readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeSegmentHeader } from "../src/log/segment-header.js";
import {
  append,
  appendEach,
  openLog,
  recordingLogger,
  reopened,
  segmentNames,
  temporaryDirectory,
} from "./log-fixture.js";

const HEADER_BYTES = 36;
const FRAME_BYTES = 20;
const FIRST = "00000000000000000001.log";

/** Creates three records, each in its own group, in one closed segment. */
async function threeRecords() {
  const directory = await temporaryDirectory();
  const log = await openLog(directory);
  await appendEach(log, ["one", "two", "three"]);
  await log.close();
  const path = join(directory, FIRST);
  const bytes = await readFile(path);
  expect(bytes.length).toBe(HEADER_BYTES + 3 * FRAME_BYTES + 11);
  return { directory, path, bytes, secondOffset: 59, thirdOffset: 82 };
}

function flipped(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[offset]! ^= 0x10;
  return copy;
}

describe("a write that a crash interrupted", () => {
  it("is cut off at every byte of the last record, and its number is reused", async () => {
    const { directory, path, bytes, thirdOffset } = await threeRecords();
    for (let size = thirdOffset + 1; size < bytes.length; size++) {
      await writeFile(path, bytes.subarray(0, size));
      const logger = recordingLogger();
      const log = await openLog(directory, { logger });
      expect(log.stats.cutBytes).toBe(size - thirdOffset);
      expect(logger.warnings).toEqual([
        {
          fields: { file: path, offset: thirdOffset, cutBytes: size - thirdOffset },
          message: "cut an unacknowledged write off the end of the log",
        },
      ]);
      expect((await stat(path)).size).toBe(thirdOffset);
      expect(await append(log, "new")).toBe(3);
      await log.close();
      expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:new"]);
    }
  });

  it("is not detected if it ended between records", async () => {
    const { directory, path, thirdOffset } = await threeRecords();
    await truncate(path, thirdOffset);
    const logger = recordingLogger();
    expect(await reopened(directory, { logger })).toEqual(["1:one", "2:two"]);
    expect(logger.warnings).toEqual([]);
  });

  it.each([1, 19, 20, 36, 5000, 3 * 1024 * 1024])("is cut off if it left %i zeros", async (zeros) => {
    const { directory, path, bytes } = await threeRecords();
    await writeFile(path, Buffer.concat([bytes, Buffer.alloc(zeros)]));
    const log = await openLog(directory);
    expect(log.stats.cutBytes).toBe(zeros);
    expect(await append(log, "four")).toBe(4);
    await log.close();
    expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:three", "4:four"]);
  });

  it("is cut off if it left the remains of another segment's records", async () => {
    const { directory, path, bytes } = await threeRecords();
    const other = await threeRecords();
    const remains = Buffer.concat([Buffer.from("x"), other.bytes.subarray(HEADER_BYTES)]);
    await writeFile(path, Buffer.concat([bytes.subarray(0, 59), remains]));
    expect(await reopened(directory)).toEqual(["1:one"]);
  });

  it("is cut off if it left a copy of an earlier record", async () => {
    const { directory, path, bytes, secondOffset, thirdOffset } = await threeRecords();
    await writeFile(path, Buffer.concat([bytes, bytes.subarray(secondOffset, thirdOffset)]));
    expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:three"]);
  });
});

describe("a segment with a creation interrupted by a crash", () => {
  it.each([0, 1, 35])("is removed with a header of %i bytes", async (size) => {
    const { directory, path, bytes } = await threeRecords();
    const next = join(directory, "00000000000000000004.log");
    await writeFile(next, bytes.subarray(0, size));
    const log = await openLog(directory);
    expect(await segmentNames(directory)).toEqual([FIRST]);
    expect(log.stats.cutBytes).toBe(size);
    expect(await append(log, "four")).toBe(4);
    expect((await stat(path)).size).toBe(bytes.length + FRAME_BYTES + 4);
  });

  it("is created again if it is the only one", async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, "00000000000000000007.log"), Buffer.alloc(HEADER_BYTES));
    const log = await openLog(directory);
    expect(await append(log, "seven")).toBe(7);
  });
});

describe("a flipped bit", () => {
  it("anywhere before the last record is refused, naming file and offset of the record", async () => {
    const { directory, path, bytes, secondOffset, thirdOffset } = await threeRecords();
    for (let offset = 0; offset < thirdOffset; offset++) {
      await writeFile(path, flipped(bytes, offset));
      const [badOffset, seq] =
        offset < HEADER_BYTES ? [0, 1] : offset < secondOffset ? [HEADER_BYTES, 1] : [secondOffset, 2];
      await expect(openLog(directory), `byte ${offset}`).rejects.toMatchObject({
        code: "runtime_error",
        detail: { reason: "log_corrupt", file: path, offset: badOffset, seq },
      });
      expect((await readFile(path)).equals(flipped(bytes, offset))).toBe(true);
    }
  });

  it("anywhere in the last record is treated as an interrupted write", async () => {
    const { directory, path, bytes, thirdOffset } = await threeRecords();
    for (let offset = thirdOffset; offset < bytes.length; offset++) {
      await writeFile(path, flipped(bytes, offset));
      expect(await reopened(directory), `byte ${offset}`).toEqual(["1:one", "2:two"]);
    }
  });
});

describe("a segment of a later format", () => {
  it("is refused, even for repair", async () => {
    const { directory, path, bytes } = await threeRecords();
    const header = encodeSegmentHeader({ format: 4, salt: 0, firstSeq: 1, continuesFrom: 1 });
    const later = Buffer.concat([header, bytes.subarray(HEADER_BYTES)]);
    await writeFile(path, later);
    for (const repair of [false, true]) {
      await expect(openLog(directory, { repair })).rejects.toMatchObject({
        code: "unsupported",
        detail: { file: path, format: 4 },
      });
    }
    expect((await readFile(path)).equals(later)).toBe(true);
  });
});

/** Creates three records of 1,000 random bytes in one group, then optionally one in the next. */
async function groupOfThree({ withNextGroup }: { withNextGroup: boolean }) {
  const directory = await temporaryDirectory();
  const log = await openLog(directory);
  const payload = randomBytes(1000);
  await Promise.all([1, 2, 3].map(() => log.append(() => payload)));
  expect(log.stats.groupCount).toBe(1);
  if (withNextGroup) await log.append(() => payload);
  await log.close();
  const path = join(directory, FIRST);
  return { directory, path, bytes: await readFile(path), secondOffset: 1056 };
}

describe("a group that a crash interrupted, with a record missing before others", () => {
  it.each([
    ["the second sector of the first record", 512, 1024, 36, 0],
    ["the sector in which the second record begins", 1024, 1536, 36, 0],
    ["the third sector of the second record", 1536, 2048, 1056, 1],
  ])("is cut off at %s", async (_name, begin, end, offset, count) => {
    const { directory, path, bytes } = await groupOfThree({ withNextGroup: false });
    await writeFile(path, Buffer.from(bytes).fill(0, begin, end));
    const log = await openLog(directory);
    expect(log.nextSeq).toBe(count + 1);
    expect((await stat(path)).size).toBe(offset);
  });

  it("is refused if a bit is flipped", async () => {
    const { directory, path, bytes, secondOffset } = await groupOfThree({ withNextGroup: false });
    await writeFile(path, flipped(bytes, 1600));
    await expect(openLog(directory)).rejects.toMatchObject({ detail: { offset: secondOffset, seq: 2 } });
  });

  it("is refused if a bit is flipped before a record of zeros", async () => {
    const directory = await temporaryDirectory();
    const log = await openLog(directory);
    await Promise.all([append(log, "one"), append(log, "two"), log.append(() => Buffer.alloc(3000))]);
    await log.close();
    const path = join(directory, FIRST);
    await writeFile(path, flipped(await readFile(path), 80));
    await expect(openLog(directory)).rejects.toMatchObject({ detail: { offset: 59, seq: 2 } });
  });

  it("is refused if a later group was written", async () => {
    const { directory, path, bytes, secondOffset } = await groupOfThree({ withNextGroup: true });
    await writeFile(path, Buffer.from(bytes).fill(0, 1536, 2048));
    await expect(openLog(directory)).rejects.toMatchObject({ detail: { offset: secondOffset, seq: 2 } });
  });
});

describe("a chain of segments", () => {
  /** Creates records 1 and 2, 3, 4 in three segments. */
  async function threeSegments() {
    const directory = await temporaryDirectory();
    const log = await openLog(directory);
    await appendEach(log, ["one", "two"]);
    await log.rotate();
    await append(log, "three");
    await log.rotate();
    await append(log, "four");
    await log.close();
    const [first, second, third] = (await segmentNames(directory)).map((name) => join(directory, name));
    return { directory, first: first!, second: second!, third: third! };
  }

  it("is refused without its middle", async () => {
    const { directory, second, third } = await threeSegments();
    await rm(second);
    await expect(openLog(directory)).rejects.toMatchObject({
      code: "runtime_error",
      detail: { reason: "log_incomplete", file: third, offset: 0, seq: 3, readable_count: 3 },
      message: expect.stringContaining("continues from record 4, but the previous segment ends at 3"),
    });
  });

  it("is read without its beginning, as after a trim", async () => {
    const { directory, first } = await threeSegments();
    await rm(first);
    expect(await reopened(directory)).toEqual(["3:three", "4:four"]);
  });

  it.each([
    ["cut short", (bytes: Buffer) => bytes.subarray(0, -1), 59, 2],
    ["without its header", (bytes: Buffer) => bytes.subarray(0, 20), 0, 1],
  ])("is refused with an older segment %s", async (_name, damage, offset, seq) => {
    const { directory, first } = await threeSegments();
    await writeFile(first, damage(await readFile(first)));
    await expect(openLog(directory)).rejects.toMatchObject({ detail: { file: first, offset, seq } });
  });

  it("is read with zeros after an older segment", async () => {
    const { directory, first } = await threeSegments();
    await writeFile(first, Buffer.concat([await readFile(first), Buffer.alloc(9)]));
    expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:three", "4:four"]);
  });

  it("is refused with a segment under another segment's name", async () => {
    const { directory, third } = await threeSegments();
    const wrong = join(directory, "00000000000000000009.log");
    await rename(third, wrong);
    await expect(openLog(directory)).rejects.toMatchObject({ detail: { file: wrong, offset: 0, seq: 4 } });
  });
});

describe("nextSeqMin", () => {
  it("skips numbers that are stored elsewhere although the end of the log is lost", async () => {
    const { directory, path, thirdOffset } = await threeRecords();
    await truncate(path, thirdOffset);
    const logger = recordingLogger();
    const log = await openLog(directory, { nextSeqMin: 4, logger });
    expect(logger.warnings).toEqual([
      { fields: { nextSeq: 3, firstSeq: 4 }, message: "the end of the log is missing" },
    ]);
    expect(await append(log, "four")).toBe(4);
    await expect(log.read(3)).rejects.toMatchObject({ code: "memory_not_found" });
    await log.close();
    expect(await reopened(directory, { nextSeqMin: 4 })).toEqual(["1:one", "2:two", "4:four"]);
  });

  it("has no effect if the log is that long", async () => {
    const { directory } = await threeRecords();
    const log = await openLog(directory, { nextSeqMin: 4 });
    expect(log.stats).toMatchObject({ nextSeq: 4, segmentCount: 1 });
  });
});

describe("a record that is damaged while the log is open", () => {
  it("fails only its own read", async () => {
    const directory = await temporaryDirectory();
    const log = await openLog(directory);
    await appendEach(log, ["one", "two", "three"]);
    const path = join(directory, FIRST);
    await writeFile(path, flipped(await readFile(path), 80));
    const damage = { code: "runtime_error", detail: { file: path, offset: 59, seq: 2 } };
    await expect(log.read(2)).rejects.toMatchObject(damage);
    expect(Buffer.from(await log.read(3)).toString()).toBe("three");
  });
});
