import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OnRecord } from "../src/log/log.js";
import { append, openLog, reopened, segmentNames, temporaryDirectory } from "./log-fixture.js";

const HEADER_BYTES = 36;
const FRAME_BYTES = 20;
/** Of a record, at least. */
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

/** Records of many sizes in a first segment, two in a second, and one in the newest. */
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
  it("are handed over by their beginnings, in order, and can be read", async () => {
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

  it("are handed over in full where the beginning is not enough", async () => {
    const { directory, secondSeq } = await threeSegments();
    const sizes: number[] = [];
    const onRecord: OnRecord = (seq, payload) => {
      if (payload.length < (SIZES[seq - 1]?.length ?? 0)) throw new RangeError("the rest is needed");
      sizes[seq - 1] = payload.length;
    };
    await openLog(directory, { nextSeqMin: secondSeq, onRecord });
    expect(sizes.slice(0, SIZES.length)).toEqual(SIZES.map(({ length }) => length));
  });

  it("may be damaged if they are large: a check tells, once, and the log serves the others", async () => {
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

  it("are checked at once if they are small", async () => {
    const { directory, second, secondSeq } = await threeSegments();
    await flip(second, HEADER_BYTES + FRAME_BYTES);
    await expect(openLog(directory, { nextSeqMin: secondSeq + 2 })).rejects.toMatchObject({
      detail: { file: second, offset: HEADER_BYTES, seq: secondSeq },
    });
  });

  it("are checked at once where their segment holds one that is not", async () => {
    const { directory, second, secondSeq } = await threeSegments();
    await flip(second, HEADER_BYTES + FRAME_BYTES);
    await expect(openLog(directory, { nextSeqMin: secondSeq + 1 })).rejects.toMatchObject({
      detail: { file: second, offset: HEADER_BYTES, seq: secondSeq },
    });
  });

  it("are checked at once where their segment does not end with the last of them, or one is numbered otherwise", async () => {
    const { directory, first, secondSeq } = await threeSegments();
    const whole = await readFile(first);
    const lastOffset = whole.length - FRAME_BYTES - SMALL.length;
    const cut = whole.subarray(0, -1);
    const longer = Buffer.concat([whole, Buffer.alloc(9)]);
    const renumbered = Buffer.from(whole);
    renumbered[lastOffset + 8]! ^= 1;
    for (const [bytes, offset] of [
      [cut, lastOffset],
      [longer, whole.length],
      [renumbered, lastOffset],
    ] as const) {
      await writeFile(first, bytes);
      const opening = openLog(directory, { nextSeqMin: secondSeq });
      await expect(opening).rejects.toMatchObject({ detail: { file: first, offset } });
    }
    await writeFile(first, whole);
    expect((await reopened(directory, { nextSeqMin: secondSeq })).length).toBe(secondSeq + 2);
  });
});
