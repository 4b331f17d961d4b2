import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readHeader, readRecords, type SegmentHole } from "./inspect-segment.js";
import type { OnRecord } from "./log.js";
import { openLogFile, useLogFile } from "./log-file.js";
import { scanBuffer } from "./scan.js";

/** Name of a segment file, or of a copy that a repair or an accepted loss has set aside. */
const NAME = /^(\d{20})\.log(\.(corrupt|foreign)-\d+)?$/;

/** Readable contents of a log file, whether it is in use or not. */
export interface LogFileReport {
  readonly file: string;
  readonly sizeBytes: number;
  /** Sequence number from the file name. */
  readonly firstSeq: number;
  readonly recordCount: number;
  /**
   * Unreadable ranges, or the whole file if its header is unreadable. At the end of the newest file it may be
   * a write in progress.
   */
  readonly damage: readonly SegmentHole[];
}

/**
 * Lists the log files below a folder, including set-aside copies, in name order. For a file, returns the file
 * itself.
 */
export async function listLogFiles(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => NAME.test(basename(name)))
    .sort()
    .map((name) => join(path, name));
}

/**
 * Passes every readable record of one file to `onRecord`, in order. Changes nothing and needs no lock.
 * @throws {TypeError} If the file name is not a log file name.
 */
export async function inspectLogFile(path: string, onRecord?: OnRecord): Promise<LogFileReport> {
  const firstSeq = Number(NAME.exec(basename(path))?.[1]);
  if (!Number.isSafeInteger(firstSeq))
    throw new TypeError(`${path} is not a log file: its name must be 20 digits followed by .log`);
  return useLogFile(openLogFile(path, "r"), async (file) => {
    const sizeBytes = await file.size();
    const segment = await readHeader(file, { path, firstSeq });
    const facts = { file: path, sizeBytes, firstSeq };
    if (segment === undefined) {
      const all = { begin: 0, end: sizeBytes, seq: firstSeq, nextSeq: undefined };
      return { ...facts, recordCount: 0, damage: [all] };
    }
    const scanned = { file, buffer: scanBuffer() };
    const options = { mayBeTorn: false, isStored: false, onRecord };
    const { holes, count } = await readRecords(scanned, segment, options);
    return { ...facts, recordCount: count, damage: holes };
  });
}
