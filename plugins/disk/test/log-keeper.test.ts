import { randomBytes } from "node:crypto";
import { appendFile, copyFile, mkdir, readdir, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { append, appendEach, openLog, reopened, segmentNames, temporaryDirectory } from "./log-fixture.js";
import { Keeper } from "./log-suite/log-under-test.js";

const FIRST = "00000000000000000001.log";
const SECOND = "00000000000000000003.log";
const THIRD = "00000000000000000004.log";

/** Creates a log with records 1 and 2, 3, 4 in three segments, and a keeper that knows them. */
async function logWithKeeper() {
  const directory = await temporaryDirectory();
  const keeper = new Keeper();
  const log = await openLog(directory, { keeper });
  await appendEach(log, ["one", "two"]);
  await log.rotate();
  await append(log, "three");
  await log.rotate();
  await append(log, "four");
  await log.close();
  return { directory, keeper };
}

describe("a log with a keeper", () => {
  it("removes the file of a segment that its keeper does not accept", async () => {
    const { directory, keeper } = await logWithKeeper();
    const log = await openLog(directory, { keeper });
    keeper.failures = 1;
    await expect(log.rotate()).rejects.toMatchObject({ detail: { reason: "EIO" } });
    expect(await segmentNames(directory)).toEqual([FIRST, SECOND, THIRD]);
  });

  it("assigns no record number of a lost newest segment again", async () => {
    const { directory, keeper } = await logWithKeeper();
    await rm(join(directory, THIRD));
    const log = await openLog(directory, { keeper, acceptLoss: true });
    // More records than any segment can hold.
    expect(await append(log, "new")).toBe(100_000_004);
  });

  it.each([
    [
      "its newest segment",
      [THIRD],
      4,
      "the segments 00000000000000000004.log",
      "an unknown number of records from record 4 on",
    ],
    [
      "its newest two",
      [SECOND, THIRD],
      3,
      "3.log, 00000000000000000004.log",
      "an unknown number of records from record 3 on",
    ],
    [
      "all of it",
      [FIRST, SECOND, THIRD],
      1,
      "1.log, 00000000000000000003.log",
      "an unknown number of records from record 1 on",
    ],
    ["its middle", [SECOND], 3, "Missing: 00000000000000000003.log", "1 record (3)"],
    ["its beginning", [FIRST], 1, "Missing: 00000000000000000001.log", "2 records (1 to 2)"],
  ])("is refused without %s, and the error names them", async (_what, names, seq, named, lost) => {
    const { directory, keeper } = await logWithKeeper();
    for (const name of names) await rm(join(directory, name));
    const refusal = openLog(directory, { keeper, repair: true });
    await expect(refusal).rejects.toMatchObject({
      code: "runtime_error",
      detail: { reason: "log_incomplete", seq, remedy: "--accept-loss" },
    });
    const message = await refusal.catch((error: Error) => error.message);
    expect(message).toContain(named);
    expect(message).toContain(`Opening it loses ${lost}`);
  });

  it("is refused if it ends before the stored records", async () => {
    const { directory, keeper } = await logWithKeeper();
    await truncate(join(directory, THIRD), 36);
    await expect(openLog(directory, { keeper, nextSeqMin: 5 })).rejects.toMatchObject({
      message: expect.stringContaining("an unknown number of records from record 5 on"),
      detail: { reason: "log_corrupt", remedy: "--repair" },
    });
  });

  it.each([FIRST, SECOND, THIRD])("is refused with another log's %s, and sets it aside", async (name) => {
    const { directory, keeper } = await logWithKeeper();
    const other = await logWithKeeper();
    await copyFile(join(other.directory, name), join(directory, name));
    const handed: number[] = [];
    const onRecord = (seq: number): void => {
      handed.push(seq);
    };
    await expect(openLog(directory, { keeper, repair: true, onRecord })).rejects.toMatchObject({
      message: expect.stringContaining("the file belongs to another log"),
      detail: { reason: "log_incomplete", remedy: "--accept-loss" },
    });
    const seqs: Record<string, number[]> = { [FIRST]: [3, 4], [SECOND]: [1, 2, 4], [THIRD]: [1, 2, 3] };
    expect(handed).toEqual(seqs[name]);
    await reopened(directory, { keeper, acceptLoss: true });
    expect(await readdir(directory)).toContain(`${name}.foreign-1`);
    expect((await reopened(directory, { keeper })).length).toBe(seqs[name]!.length);
  });

  it("is refused with segments that it never had", async () => {
    const { directory, keeper } = await logWithKeeper();
    const other = await temporaryDirectory();
    const log = await openLog(other, { nextSeqMin: 5 });
    await append(log, "five");
    await log.close();
    const name = "00000000000000000005.log";
    await copyFile(join(other, name), join(directory, name));
    const refused = { detail: { reason: "log_incomplete", file: join(directory, name) } };
    await expect(openLog(directory, { keeper })).rejects.toMatchObject(refused);
  });

  it.each([
    ["random bytes", randomBytes(300)],
    ["zeros", Buffer.alloc(300)],
  ])("opens if a crash left %s in a segment that the keeper does not know yet", async (_, bytes) => {
    const { directory, keeper } = await logWithKeeper();
    const { kept } = keeper;
    const log = await openLog(directory, { keeper });
    await log.rotate();
    await log.close();
    keeper.kept = kept;
    await appendFile(join(directory, "00000000000000000005.log"), bytes);
    expect(await reopened(directory, { keeper })).toEqual(["1:one", "2:two", "3:three", "4:four"]);
  });

  it("restores a damaged header from the keeper without loss", async () => {
    const { directory, keeper } = await logWithKeeper();
    const { open } = await import("node:fs/promises");
    const file = await open(join(directory, SECOND), "r+");
    await file.write(Buffer.alloc(36), 0, 36, 0);
    await file.close();
    const all = ["1:one", "2:two", "3:three", "4:four"];
    expect(await reopened(directory, { keeper })).toEqual(all);
    expect(await reopened(directory, { keeper })).toEqual(all);
  });

  it.each<[string, (newest: string, other: string) => Promise<void>]>([
    ["zeros", (newest) => writeFile(newest, Buffer.alloc(60))],
    ["a copy of another segment", (newest, other) => copyFile(other, newest)],
  ])("does not take %s in the newest segment for an interrupted write", async (_, damage) => {
    const { directory, keeper } = await logWithKeeper();
    await damage(join(directory, THIRD), join(directory, SECOND));
    await expect(openLog(directory, { keeper })).rejects.toMatchObject({
      detail: { reason: "log_corrupt", file: join(directory, THIRD), remedy: "--repair" },
    });
    expect(await reopened(directory, { keeper, repair: true })).toEqual(["1:one", "2:two", "3:three"]);
    expect(await readdir(directory)).toContain(`${THIRD}.corrupt-1`);
  });

  it("names an emptied newest segment", async () => {
    const { directory, keeper } = await logWithKeeper();
    await truncate(join(directory, THIRD), 0);
    await expect(openLog(directory, { keeper })).rejects.toThrow(`the log has lost the segments ${THIRD}`);
  });

  it("is refused with a folder in the place of a segment, which the error names", async () => {
    const { directory, keeper } = await logWithKeeper();
    await rm(join(directory, SECOND));
    await mkdir(join(directory, SECOND));
    await expect(openLog(directory, { keeper, repair: true })).rejects.toMatchObject({
      message: `${join(directory, SECOND)} is a folder, not a file. Move it away`,
    });
  });
});

describe("the repair of a log with a keeper", () => {
  const ALL = ["1:one", "2:two", "3:three", "4:four"];
  const at = (directory: string, name: string) => join(directory, name);

  it.each([
    [SECOND, THIRD],
    [FIRST, THIRD],
    [FIRST, SECOND],
  ])("loses nothing if %s and %s are swapped", async (one, two) => {
    const { directory, keeper } = await logWithKeeper();
    await rename(at(directory, one), at(directory, "away"));
    await rename(at(directory, two), at(directory, one));
    await rename(at(directory, "away"), at(directory, two));
    await expect(openLog(directory, { keeper })).rejects.toMatchObject({ detail: { remedy: "--repair" } });
    expect(await reopened(directory, { keeper, repair: true })).toEqual(ALL);
    expect(await reopened(directory, { keeper })).toEqual(ALL);
  });

  it("loses nothing if a segment has another segment's name and that one is lost", async () => {
    const { directory, keeper } = await logWithKeeper();
    await rename(at(directory, THIRD), at(directory, SECOND));
    expect(await reopened(directory, { keeper, repair: true, acceptLoss: true })).toEqual([
      "1:one",
      "2:two",
      "4:four",
    ]);
  });

  it("never replaces a segment by its copy", async () => {
    const { directory, keeper } = await logWithKeeper();
    await copyFile(at(directory, FIRST), at(directory, SECOND));
    expect(await reopened(directory, { keeper, repair: true })).toEqual(["1:one", "2:two", "4:four"]);
    expect(await readdir(directory)).toContain(`${SECOND}.corrupt-1`);
  });

  it.each([FIRST, THIRD])("completes a rename of %s that was interrupted, at any start", async (name) => {
    const { directory, keeper } = await logWithKeeper();
    await rename(at(directory, name), at(directory, `${name}.moving`));
    expect(await reopened(directory, { keeper })).toEqual(ALL);
  });
});
