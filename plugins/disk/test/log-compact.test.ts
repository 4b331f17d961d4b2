import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileLog } from "../src/log/file-log.js";
import { append, contents, openLog, reopened, segmentNames, temporaryDirectory } from "./log-fixture.js";

const begin = (payload: Uint8Array): Uint8Array => payload.subarray(0, 3);
const large = (text: string): string => text.padEnd(10_000, ".");

/** Creates two segments with two large records each, and a newest segment with one. */
async function threeSegments(text = large): Promise<{ directory: string; log: FileLog }> {
  const directory = await temporaryDirectory();
  const log = await openLog(directory);
  for (const part of [["one", "two"], ["thr", "fou"], ["fiv"]]) {
    await log.rotate();
    for (const name of part) await append(log, text(name));
  }
  return { directory, log };
}

describe("compaction", () => {
  it("shrinks records below a number, but never records of the newest segment", async () => {
    const { directory, log } = await threeSegments();
    await log.compact(4, begin);
    const rest = [`3:${large("thr")}`, `4:${large("fou")}`, `5:${large("fiv")}`];
    expect(await contents(log)).toEqual(["1:one", "2:two", ...rest]);
    await log.compact(100, begin);
    const expected = ["1:one", "2:two", "3:thr", "4:fou", `5:${large("fiv")}`];
    expect(await contents(log)).toEqual(expected);
    expect(log.stats.sizeBytes).toBe(3 * 36 + 4 * 23 + 10_020);
    await log.close();
    expect(await reopened(directory, { nextSeqMin: 5 })).toEqual(expected);
    expect((await readdir(directory)).length).toBe(3);
  });

  it("rewrites a segment only once, and skips small records", async () => {
    const { log } = await threeSegments();
    const shrunk: string[] = [];
    const shrink = (payload: Uint8Array) => {
      shrunk.push(Buffer.from(payload.subarray(0, 3)).toString());
      return payload;
    };
    await log.compact(100, shrink);
    await log.compact(100, shrink);
    expect(shrunk).toEqual(["one", "two", "thr", "fou"]);
    const small = await threeSegments((text) => text);
    await small.log.compact(100, shrink);
    expect(shrunk.length).toBe(4);
  });

  it("runs concurrently with reads, which find every record", async () => {
    const { log } = await threeSegments();
    const compaction = log.compact(100, begin);
    let isDone = false;
    void compaction.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const read = await Promise.all([1, 2, 3, 4, 5].map((seq) => log.read(seq)));
      const names = read.map((payload) => Buffer.from(payload.subarray(0, 3)).toString());
      expect(names).toEqual(["one", "two", "thr", "fou", "fiv"]);
    }
    await compaction;
  });

  it("skips a segment with an unreadable record, and overwrites the draft of a crash", async () => {
    const { directory, log } = await threeSegments();
    const [first, second] = (await segmentNames(directory)).map((name) => join(directory, name));
    const bytes = await readFile(first!);
    bytes[100]! ^= 1;
    await writeFile(first!, bytes);
    await writeFile(`${second}.new`, "a draft");
    await log.compact(100, begin);
    expect(await readFile(first!)).toEqual(bytes);
    expect((await readdir(directory)).sort()).toEqual(await segmentNames(directory));
    await expect(log.read(1)).rejects.toMatchObject({ code: "runtime_error" });
    expect(Buffer.from(await log.read(3)).toString()).toBe("thr");
  });
});
