import { rm } from "node:fs/promises";
import type { Logger } from "@membus/protocol/plugin";
import { syncDirectory } from "../directory/index.js";
import type { LogPart, OnRecord } from "./log.js";
import { type OpenLogFile, useLogFile } from "./log-file.js";
import { isStoredElsewhere, type MissingRange, missingRangesError, SEQ_BEYOND } from "./missing-range.js";
import { completeRenames, restoreNames } from "./restore-names.js";
import { salvageLog } from "./salvage-log.js";
import { type FoundSegment, isUnfinished, type SegmentScan, scanSegments } from "./scan-segments.js";
import { createClosedSegment, type Segment } from "./segment.js";
import { listSegmentFiles } from "./segment-files.js";

export interface RecoveryOptions {
  readonly repair: boolean;
  readonly acceptLoss: boolean;
  readonly nextSeqMin: number;
}

export interface RecoveryDependencies {
  readonly logger: Logger;
  readonly openFile: OpenLogFile;
  readonly onRecord?: OnRecord | undefined;
  readonly kept: readonly LogPart[] | undefined;
}

export interface RecoveredLog {
  /** Segments in order. The last one is appended to. */
  readonly segments: Segment[];
  readonly cutBytes: number;
}

/**
 * Reads all segments of a directory and cuts an unfinished write off the end. Creates a segment if there is
 * none, or if the newest cannot continue with `nextSeqMin`.
 * @throws {MemoryError} `runtime_error` naming files that are damaged (unless `repair`), missing or from
 * another log (unless `acceptLoss`). `unsupported` for a segment of a later format.
 */
export async function recoverLog(
  directory: string,
  options: RecoveryOptions,
  dependencies: RecoveryDependencies,
): Promise<RecoveredLog> {
  const { nextSeqMin } = options;
  const found = await scanAndSalvage(directory, options, dependencies);
  let cutBytes = 0;
  for (const each of found.found) cutBytes += await cutTail(directory, each, dependencies);
  const segments = found.found.flatMap(({ segment }) => segment ?? []);
  const newest = segments.at(-1);
  if (newest !== undefined) await syncFound(directory, newest, dependencies);
  const nextSeq = newest?.nextSeq ?? found.found.at(-1)?.source.firstSeq ?? 1;
  const firstSeq = Math.max(nextSeq, nextSeqMin, found.beyondSeq);
  if (firstSeq > nextSeq) dependencies.logger.warn({ nextSeq, firstSeq }, "the end of the log is missing");
  if (firstSeq > nextSeq || newest === undefined) {
    const position = { firstSeq, continuesFrom: nextSeq };
    segments.push(await createClosedSegment(directory, position, dependencies.openFile));
  }
  return { segments, cutBytes };
}

/** Scans the log and repairs it if allowed. New records are numbered from `beyondSeq` on. */
async function scanAndSalvage(
  directory: string,
  options: RecoveryOptions,
  dependencies: RecoveryDependencies,
): Promise<Pick<SegmentScan, "found"> & { beyondSeq: number }> {
  const { nextSeqMin } = options;
  await (options.repair ? restoreNames(directory, dependencies) : completeRenames(directory));
  const files = await listSegmentFiles(directory);
  const first = await scanSegments(files, { ...dependencies, nextSeqMin });
  const { losses } = first;
  const unstored = losses.filter((loss) => !isStoredElsewhere(loss, nextSeqMin));
  const refused = unstored.filter(({ kind }) => !(kind === "damaged" ? options.repair : options.acceptLoss));
  const isRefused = refused.length > 0 || (first.foreign.length > 0 && !options.acceptLoss);
  if (isRefused)
    throw missingRangesError({ ...first, losses: [...foreignRanges(first), ...unstored], nextSeqMin });
  const hasHeaders = first.found.every((found) => found.hasHeader || isUnfinished(found));
  if (unstored.length === 0 && first.foreign.length === 0 && hasHeaders) {
    if (losses.length > 0)
      dependencies.logger.warn({ losses }, "the log has lost records that are stored elsewhere");
    return { ...first, beyondSeq: 0 };
  }
  await salvageLog(directory, first, { ...dependencies, nextSeqMin });
  const remaining = await listSegmentFiles(directory);
  const again = await scanSegments(remaining, {
    ...dependencies,
    nextSeqMin,
    kept: undefined,
    onRecord: undefined,
  });
  return { ...again, beyondSeq: beyondSeq(first, dependencies.kept) };
}

function foreignRanges({ foreign }: SegmentScan): MissingRange[] {
  const reason = "the file belongs to another log";
  return foreign.map(({ path, firstSeq }) => ({
    ...{ kind: "foreign", file: path, offset: 0, seq: firstSeq, nextSeq: undefined, reason },
  }));
}

/** Returns a number above any record that a lost end may have contained. */
function beyondSeq({ losses, found }: SegmentScan, kept: readonly LogPart[] = []): number {
  if (losses.every(({ nextSeq }) => nextSeq !== undefined)) return 0;
  const ends = found.map(({ segment, source }) => segment?.nextSeq ?? source.firstSeq);
  const keptSeqs = kept.map(({ name }) => Number.parseInt(name, 10));
  return Math.max(...ends, ...keptSeqs, ...losses.map(({ seq }) => seq)) + SEQ_BEYOND;
}

/** Syncs the log, because records that a killed process wrote without a sync are served from now on. */
async function syncFound(
  directory: string,
  newest: Segment,
  { openFile }: RecoveryDependencies,
): Promise<void> {
  await useLogFile(openFile(newest.path, "r+"), (file) => file.sync());
  await syncDirectory(directory);
}

/**
 * Removes unacknowledged data: the end of the newest segment, or the whole segment if it was being created.
 */
async function cutTail(
  directory: string,
  { source: { path }, segment, fileBytes, isNewest }: FoundSegment,
  { logger, openFile }: RecoveryDependencies,
): Promise<number> {
  const offset = segment?.sizeBytes ?? 0;
  if (segment === undefined) {
    await rm(path);
    await syncDirectory(directory);
  } else if (offset < fileBytes && isNewest) {
    await useLogFile(openFile(path, "r+"), (file) => file.truncate(offset));
  } else {
    return 0;
  }
  const cutBytes = fileBytes - offset;
  logger.warn({ file: path, offset, cutBytes }, "cut an unacknowledged write off the end of the log");
  return cutBytes;
}
