import { constants } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type OpenLogFile, openLogFile } from "../src/log/log-file.js";
import { append, openLog, temporaryDirectory } from "./log-fixture.js";

/** Real files that record the operations on them. */
function recordingFiles() {
  const notes: string[] = [];
  const openFile: OpenLogFile = async (path, flags) => {
    const file = await openLogFile(path, flags);
    const operations = async (note: string, run: () => Promise<void>): Promise<void> => {
      await run();
      notes.push(note);
    };
    return {
      read: (into, position) => file.read(into, position),
      write: (bytes, position) => operations("write", () => file.write(bytes, position)),
      writeDurably: (bytes, position) =>
        operations("durable write", () => file.writeDurably(bytes, position)),
      sync: () => operations("sync", () => file.sync()),
      truncate: (sizeBytes) => operations("truncate", () => file.truncate(sizeBytes)),
      size: () => file.size(),
      close: () => file.close(),
    };
  };
  return { notes, openFile };
}

/** Returns the operations on the files of an open log while `count` records are appended at once. */
async function notesOfAppends(durability: "disk" | "process", count: number): Promise<string[]> {
  const { notes, openFile } = recordingFiles();
  const log = await openLog(await temporaryDirectory(), { durability, openFile });
  notes.length = 0;
  await Promise.all(Array.from({ length: count }, () => append(log, "x").then(() => notes.push("stored"))));
  return notes;
}

describe("durability", () => {
  it("of disk means one durable write before a group is acknowledged", async () => {
    expect(await notesOfAppends("disk", 3)).toEqual(["durable write", "stored", "stored", "stored"]);
  });

  it("of process means one write before it", async () => {
    expect(await notesOfAppends("process", 3)).toEqual(["write", "stored", "stored", "stored"]);
  });

  it.each([
    ["disk", ["sync", "write", "sync", "durable write", "stored"]],
    ["process", ["sync", "write", "sync", "write", "stored"]],
  ] as const)("of %s syncs a full segment and the header of the next one", async (durability, expected) => {
    const { notes, openFile } = recordingFiles();
    const log = await openLog(await temporaryDirectory(), { durability, openFile, segmentBytes: 4096 });
    await append(log, "x".repeat(4096));
    notes.length = 0;
    await append(log, "y").then(() => notes.push("stored"));
    expect(notes).toEqual(expected);
  });

  it("of process is synced by sync()", async () => {
    const { notes, openFile } = recordingFiles();
    const log = await openLog(await temporaryDirectory(), { durability: "process", openFile });
    await append(log, "x");
    await log.sync();
    expect(notes.slice(-2)).toEqual(["write", "sync"]);
  });

  it("includes unsynced records of a killed process at opening", async () => {
    const directory = await temporaryDirectory();
    const first = await openLog(directory);
    await append(first, "x");
    await first.close();
    const { notes, openFile } = recordingFiles();
    await openLog(directory, { openFile });
    expect(notes).toEqual(["sync"]);
  });

  it.runIf(process.platform === "linux")(
    "of disk uses O_DSYNC on the written file (needs /proc of Linux)",
    async () => {
      const path = join(await temporaryDirectory(), "file");
      const file = await openLogFile(path, "w+");
      await file.write(Buffer.from("header"), 0);
      expect(await openFlags(path)).toHaveLength(1);
      await file.writeDurably(Buffer.from("record"), 6);
      await file.writeDurably(Buffer.from("!"), 12);
      expect(await readFile(path, "utf8")).toBe("headerrecord!");
      const flags = await openFlags(path);
      expect(flags.map((each) => each & constants.O_DSYNC).sort()).toEqual([0, constants.O_DSYNC]);
      await file.close();
      expect(await openFlags(path)).toEqual([]);
    },
  );
});

/** Returns the flags with which this process has a file open. */
async function openFlags(path: string): Promise<number[]> {
  const own = "/proc/self/fd";
  const found: number[] = [];
  for (const fd of await readdir(own)) {
    if ((await readlink(join(own, fd)).catch(() => "")) !== path) continue;
    const info = await readFile(`/proc/self/fdinfo/${fd}`, "utf8");
    found.push(Number.parseInt(/^flags:\s+(\d+)/m.exec(info)![1]!, 8));
  }
  return found;
}
