import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readHeader, readRecords, type SegmentHole } from "./inspect-segment.js";
import type { OnRecord } from "./log.js";
import { openLogFile, useLogFile } from "./log-file.js";
import { scanBuffer } from "./scan.js";

/** A segment file, or the copy of one that a repair or an accepted loss has set aside. */
const NAME = /^(\d{20})\.log(\.(corrupt|foreign)-\d+)?$/;

/** What can be read of a file of a log, whether it is in use or not. */
export interface LogFileReport {
  readonly file: string;
  readonly sizeBytes: number;
  /** Of the name. */
  readonly firstSeq: number;
  readonly recordCount: number;
  /** Where bytes cannot be read; all of it without a readable header. At the end of the newest file it may be a write under way. */
  readonly damage: readonly SegmentHole[];
}

/** The files of a log below a folder, and those set aside, in the order of their names; or the file itself. */
export async function listLogFiles(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => NAME.test(basename(name)))
    .sort()
    .map((name) => join(path, name));
}

/**
 * Passes on every record of one file that can be read, in order. Changes nothing, and needs no lock.
 * @throws {TypeError} for a file whose name is not of a log.
 */
export async function inspectLogFile(path: string, onRecord?: OnRecord): Promise<LogFileReport> {
  const firstSeq = Number(NAME.exec(basename(path))?.[1]);
  if (!Number.isSafeInteger(firstSeq)) throw new TypeError(`${path} is not named like a file of a log`);
  return useLogFile(openLogFile(path, "r"), async (file) => {
    const sizeBytes = await file.size();
    const segment = await readHeader(file, { path, firstSeq });
    const facts = { file: path, sizeBytes, firstSeq };
    if (segment === undefined) {
      const all = { begin: 0, end: sizeBytes, seq: firstSeq, nextSeq: undefined };
      return { ...facts, recordCount: 0, damage: [all] };
    }
    const scanned = { file, buffer: scanBuffer() };
    const options = { isNewest: false, isStored: false, onRecord };
    const { holes, count } = await readRecords(scanned, segment, options);
    return { ...facts, recordCount: count, damage: holes };
  });
}
