import { rm } from "node:fs/promises";
import { syncDirectory } from "../directory/index.js";
import { inspectSegment, type SegmentInspection } from "./inspect-segment.js";
import { corruptLog, type LogDamage } from "./log-error.js";
import { useLogFile } from "./log-file.js";
import { type RecoveredLog, type RecoveryDependencies, repairLog } from "./repair.js";
import { scanBuffer } from "./scan.js";
import { createClosedSegment, type Segment } from "./segment.js";
import { listSegmentFiles, type SegmentFile } from "./segment-files.js";

export interface RecoveryOptions {
  readonly repair: boolean;
  readonly nextSeqMin: number;
}

/**
 * Reads all segments of a directory, cuts what a crash left unfinished at the end, and begins a segment where there is
 * none, or none that may be continued with `nextSeqMin`.
 * @throws {MemoryError} `runtime_error` naming file and byte offset, when acknowledged records are damaged or
 * missing and `repair` is false; `unsupported` for a segment of a later format.
 */
export async function recoverLog(
  directory: string,
  options: RecoveryOptions,
  dependencies: RecoveryDependencies,
): Promise<RecoveredLog> {
  const files = await listSegmentFiles(directory);
  const recovered = await readSegments(directory, files, options, dependencies);
  const { segments } = recovered;
  const newest = segments.at(-1);
  if (newest !== undefined) await syncFound(directory, newest, dependencies);
  const nextSeq = newest?.nextSeq ?? files.at(-1)?.firstSeq ?? 1;
  const firstSeq = Math.max(nextSeq, options.nextSeqMin);
  if (firstSeq > nextSeq) dependencies.logger.warn({ nextSeq, firstSeq }, "the end of the log is missing");
  if (firstSeq > nextSeq || newest === undefined) {
    const position = { firstSeq, continuesFrom: nextSeq };
    segments.push(await createClosedSegment(directory, position, dependencies.openFile));
  }
  return recovered;
}

/** What a killed process wrote but did not sync is served from now on, so it must be durable from now on. */
async function syncFound(
  directory: string,
  newest: Segment,
  { openFile }: RecoveryDependencies,
): Promise<void> {
  await useLogFile(openFile(newest.path, "r+"), (file) => file.sync());
  await syncDirectory(directory);
}

async function readSegments(
  directory: string,
  files: readonly SegmentFile[],
  { repair, nextSeqMin }: RecoveryOptions,
  dependencies: RecoveryDependencies,
): Promise<RecoveredLog> {
  const segments: Segment[] = [];
  const inspection = { ...dependencies, buffer: scanBuffer() };
  let cutBytes = 0;
  for (const [index, file] of files.entries()) {
    const next = files[index + 1];
    const isStored = next !== undefined && next.firstSeq <= nextSeqMin;
    const found = await inspectSegment(file, { isNewest: next === undefined, isStored }, inspection);
    const damage = findDamage(file, found, segments.at(-1));
    if (damage !== undefined) {
      if (!repair) throw corruptLog(damage);
      return repairLog({ directory, kept: segments, found, damage, files: files.slice(index) }, dependencies);
    }
    cutBytes += await cutTail(directory, file, found, dependencies);
    if (found.segment !== undefined) segments.push(found.segment);
  }
  return { segments, cutBytes };
}

function findDamage(
  { path, firstSeq }: SegmentFile,
  { segment, damage }: SegmentInspection,
  before: Segment | undefined,
): LogDamage | undefined {
  const seq = before?.nextSeq ?? firstSeq;
  if (before !== undefined && segment !== undefined && segment.continuesFrom !== seq) {
    const reason = `the segment continues from record ${segment.continuesFrom}, the one before ends at ${seq}`;
    return { file: path, offset: 0, seq, reason };
  }
  if (damage === undefined) return undefined;
  return { file: path, offset: segment?.sizeBytes ?? 0, seq: segment?.nextSeq ?? seq, reason: damage };
}

/** Removes what was never acknowledged: the end of the newest segment, or all of it when it was being created. */
async function cutTail(
  directory: string,
  { path }: SegmentFile,
  { segment, fileBytes }: SegmentInspection,
  { logger, openFile }: RecoveryDependencies,
): Promise<number> {
  const offset = segment?.sizeBytes ?? 0;
  if (segment === undefined) {
    await rm(path);
    await syncDirectory(directory);
  } else if (offset < fileBytes) {
    await useLogFile(openFile(path, "r+"), (file) => file.truncate(offset));
  } else {
    return 0;
  }
  const cutBytes = fileBytes - offset;
  logger.warn({ file: path, offset, cutBytes }, "cut an unacknowledged write off the end of the log");
  return cutBytes;
}
