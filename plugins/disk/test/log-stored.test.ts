import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OnRecord } from "../src/log/log.js";
import { append, openLog, recordingLogger, segmentNames, temporaryDirectory } from "./log-fixture.js";

const HEADER_BYTES = 36;
const FRAME_BYTES = 20;
/** Minimum bytes of a record that skimming passes on. */
const SKIMMED_BYTES = 4_096;

const LARGE = randomBytes(200_000);
const MIDDLE = randomBytes(10_000);
const SMALL = Buffer.from("small");
const SIZES = [
  LARGE,
  SMALL,
  MIDDLE,
  SMALL,
  LARGE,
  LARGE,
  ...Array.from({ length: 500 }, () => MIDDLE),
  SMALL,
];

/** Creates records of many sizes in a first segment, two in a second, and one in the newest. */
async function threeSegments() {
  const directory = await temporaryDirectory();
  const log = await openLog(directory);
  for (const payload of SIZES) await log.append(() => payload);
  await log.rotate();
  await append(log, "second");
  await append(log, "third");
  await log.rotate();
  await append(log, "newest");
  await log.close();
  const [first, second] = (await segmentNames(directory)).map((name) => join(directory, name));
  return { directory, first: first!, second: second!, secondSeq: SIZES.length + 1 };
}

async function flip(path: string, offset: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[offset]! ^= 0x10;
  await writeFile(path, bytes);
}

describe("records that are stored elsewhere", () => {
  it("are passed on by their beginnings, in order, and can be read", async () => {
    const { directory, secondSeq } = await threeSegments();
    const beginnings: Buffer[] = [];
    const onRecord: OnRecord = (seq, payload) => {
      expect(seq).toBe(beginnings.length + 1);
      beginnings.push(Buffer.from(payload));
    };
    const log = await openLog(directory, { nextSeqMin: secondSeq, onRecord });
    expect(beginnings.length).toBe(secondSeq + 2);
    for (const [index, whole] of SIZES.entries()) {
      const beginning = beginnings[index]!;
      expect(beginning.length).toBeGreaterThanOrEqual(Math.min(whole.length, SKIMMED_BYTES));
      expect(whole.subarray(0, beginning.length).equals(beginning)).toBe(true);
    }
    expect(beginnings[0]!.length).toBeLessThan(LARGE.length);
    expect(beginnings.slice(SIZES.length).map(String)).toEqual(["second", "third", "newest"]);
    expect(LARGE.equals(await log.read(1))).toBe(true);
    expect(await append(log, "next")).toBe(secondSeq + 3);
    await log.check();
    await log.check();
  });

  it("are passed on completely if the beginning is not enough", async () => {
    const { directory, secondSeq } = await threeSegments();
    const sizes: number[] = [];
    const onRecord: OnRecord = (seq, payload) => {
      if (payload.length < (SIZES[seq - 1]?.length ?? 0)) throw new RangeError("the rest is needed");
      sizes[seq - 1] = payload.length;
    };
    await openLog(directory, { nextSeqMin: secondSeq, onRecord });
    expect(sizes.slice(0, SIZES.length)).toEqual(SIZES.map(({ length }) => length));
  });

  it("may be damaged if they are large: a check reports it once, and the log serves the others", async () => {
    const { directory, first, secondSeq } = await threeSegments();
    await flip(first, HEADER_BYTES + FRAME_BYTES + LARGE.length - 1);
    const log = await openLog(directory, { nextSeqMin: secondSeq + 2 });
    const damage = {
      code: "runtime_error",
      detail: { reason: "log_corrupt", file: first, offset: HEADER_BYTES, seq: 1 },
    };
    await expect(log.read(1)).rejects.toMatchObject(damage);
    expect(String(await log.read(2))).toBe("small");
    await expect(log.check()).rejects.toMatchObject(damage);
    await log.check();
    expect(await append(log, "next")).toBe(secondSeq + 3);
  });

  it("lose nothing else if they are damaged", async () => {
    const { directory, first, second, secondSeq } = await threeSegments();
    const whole = await readFile(first);
    const lastOffset = whole.length - FRAME_BYTES - SMALL.length;
    const renumbered = Buffer.from(whole);
    renumbered[lastOffset + 8]! ^= 1;
    await flip(second, HEADER_BYTES + FRAME_BYTES);
    for (const bytes of [whole.subarray(0, -1), renumbered]) {
      await writeFile(first, bytes);
      const logger = recordingLogger();
      const log = await openLog(directory, { nextSeqMin: secondSeq + 1, logger });
      expect(logger.warnings.map(({ message, fields }) => [message, fields.losses])).toEqual([
        [
          "the log has lost records that are stored elsewhere",
          [
            expect.objectContaining({
              file: first,
              offset: lastOffset,
              seq: secondSeq - 1,
              nextSeq: secondSeq,
            }),
            expect.objectContaining({
              file: second,
              offset: HEADER_BYTES,
              seq: secondSeq,
              nextSeq: secondSeq + 1,
            }),
          ],
        ],
      ]);
      for (const seq of [secondSeq - 1, secondSeq]) {
        await expect(log.read(seq)).rejects.toMatchObject({ code: "memory_not_found" });
      }
      expect([String(await log.read(2)), String(await log.read(secondSeq + 1))]).toEqual(["small", "third"]);
      await log.close();
    }
  });

  it("are refused if only some of the damaged ones are stored", async () => {
    const { directory, second, secondSeq } = await threeSegments();
    const bytes = await readFile(second);
    bytes[HEADER_BYTES + FRAME_BYTES]! ^= 1;
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(second, bytes);
    await expect(openLog(directory, { nextSeqMin: secondSeq + 1 })).rejects.toMatchObject({
      message: expect.stringContaining(`Opening it loses 1 record (${secondSeq + 1})`),
      detail: { file: second, offset: HEADER_BYTES, seq: secondSeq },
    });
  });
});
