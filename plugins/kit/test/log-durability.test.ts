import { describe, expect, it } from "vitest";
import { type OpenLogFile, openLogFile } from "../src/log/log-file.js";
import { append, openLog, temporaryDirectory } from "./log-fixture.js";

/** Real files that note what is done to them. */
function notedFiles() {
  const notes: string[] = [];
  const openFile: OpenLogFile = async (path, flags) => {
    const file = await openLogFile(path, flags);
    const noted = async (note: string, run: () => Promise<void>): Promise<void> => {
      await run();
      notes.push(note);
    };
    return {
      read: (into, position) => file.read(into, position),
      write: (bytes, position) => noted("write", () => file.write(bytes, position)),
      sync: () => noted("sync", () => file.sync()),
      truncate: (sizeBytes) => noted("truncate", () => file.truncate(sizeBytes)),
      size: () => file.size(),
      close: () => file.close(),
    };
  };
  return { notes, openFile };
}

/** What happens to the files of an open log while `count` records are appended at once. */
async function notesOfAppends(durability: "disk" | "process", count: number): Promise<string[]> {
  const { notes, openFile } = notedFiles();
  const log = await openLog(await temporaryDirectory(), { durability, openFile });
  notes.length = 0;
  await Promise.all(Array.from({ length: count }, () => append(log, "x").then(() => notes.push("stored"))));
  return notes;
}

describe("durability", () => {
  it("of disk means one write and one sync before a group is acknowledged", async () => {
    expect(await notesOfAppends("disk", 3)).toEqual(["write", "sync", "stored", "stored", "stored"]);
  });

  it("of process means one write before it", async () => {
    expect(await notesOfAppends("process", 3)).toEqual(["write", "stored", "stored", "stored"]);
  });

  it.each([
    ["disk", ["sync", "write", "sync", "write", "sync", "stored"]],
    ["process", ["sync", "write", "sync", "write", "stored"]],
  ] as const)("of %s syncs a full segment and the header of the next one", async (durability, expected) => {
    const { notes, openFile } = notedFiles();
    const log = await openLog(await temporaryDirectory(), { durability, openFile, segmentBytes: 4096 });
    await append(log, "x".repeat(4096));
    notes.length = 0;
    await append(log, "y").then(() => notes.push("stored"));
    expect(notes).toEqual(expected);
  });

  it("of process takes a sync of its own", async () => {
    const { notes, openFile } = notedFiles();
    const log = await openLog(await temporaryDirectory(), { durability: "process", openFile });
    await append(log, "x");
    await log.sync();
    expect(notes.slice(-2)).toEqual(["write", "sync"]);
  });

  it("is given to what a killed process left unsynced, at opening", async () => {
    const directory = await temporaryDirectory();
    const first = await openLog(directory);
    await append(first, "x");
    await first.close();
    const { notes, openFile } = notedFiles();
    await openLog(directory, { openFile });
    expect(notes).toEqual(["sync"]);
  });
});
