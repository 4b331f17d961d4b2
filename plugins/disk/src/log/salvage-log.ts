import { copyFile } from "node:fs/promises";
import type { Logger } from "@membus/protocol/plugin";
import { syncDirectory } from "../directory/index.js";
import { fillerHeader } from "./frame.js";
import type { SegmentHole } from "./inspect-segment.js";
import { type LogFile, type OpenLogFile, useLogFile } from "./log-file.js";
import { readBytes } from "./scan.js";
import { isUnfinished, type SegmentScan } from "./scan-segments.js";
import type { Segment } from "./segment.js";
import { encodeSegmentHeader, SEGMENT_FORMAT } from "./segment-header.js";
import { renameAside, unusedPath } from "./set-aside-files.js";

export interface SalvageDependencies {
  readonly logger: Logger;
  readonly openFile: OpenLogFile;
  /** Records below this number are stored elsewhere. */
  readonly nextSeqMin: number;
}

/**
 * Repairs a log and keeps every readable record. Leaves a copy of each damaged file as `*.corrupt-<n>`, and
 * moves files of another log to `*.foreign-<n>`. If the process is killed at any point, the repair can run
 * again.
 */
export async function salvageLog(
  directory: string,
  { found, foreign, losses }: SegmentScan,
  { logger, openFile, nextSeqMin }: SalvageDependencies,
): Promise<void> {
  const copies: string[] = [];
  for (const { path } of foreign) copies.push(await renameAside(path, "foreign"));
  let expected: number | undefined;
  for (const each of found) {
    const { source, segment, holes, hasHeader } = each;
    if (isUnfinished(each)) continue;
    if (segment === undefined) {
      copies.push(await renameAside(source.path, "corrupt"));
      continue;
    }
    if (holes.length > 0) copies.push(await copyAside(source.path, openFile));
    await useLogFile(openFile(source.path, "r+"), async (file) => {
      const continuesFrom = expected ?? Math.min(segment.continuesFrom, nextSeqMin);
      if (!hasHeader || continuesFrom !== segment.continuesFrom)
        await writeHeader(file, segment, continuesFrom);
      for (const hole of holes) await fill(file, segment, hole);
      await file.sync();
    });
    expected = segment.nextSeq;
  }
  await syncDirectory(directory);
  logger.warn(
    { losses, copies },
    "repaired the log: all readable records are kept, the changes and forgets of lost records are undone",
  );
}

function writeHeader(file: LogFile, { firstSeq, salt }: Segment, continuesFrom: number): Promise<void> {
  return file.write(encodeSegmentHeader({ format: SEGMENT_FORMAT, firstSeq, salt, continuesFrom }), 0);
}

/**
 * Replaces a gap by a filler in one small write, so that a crash leaves either. A gap after the last record
 * is cut off.
 */
async function fill(file: LogFile, segment: Segment, hole: SegmentHole): Promise<void> {
  const { salt, sizeBytes } = segment;
  const { begin, end, seq, nextSeq } = hole;
  if (begin === sizeBytes || nextSeq === undefined) return file.truncate(begin);
  const bytes = await readBytes(file, begin, end);
  await file.write(fillerHeader(bytes, { seq, count: nextSeq - seq, salt }), begin);
}

async function copyAside(path: string, openFile: OpenLogFile): Promise<string> {
  const copy = await unusedPath(path, "corrupt");
  await copyFile(path, copy);
  await useLogFile(openFile(copy, "r+"), (file) => file.sync());
  return copy;
}
