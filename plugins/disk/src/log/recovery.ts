import { rm } from "node:fs/promises";
import type { Logger } from "@membus/protocol";
import { syncDirectory } from "../directory/index.js";
import type { LogPart, OnRecord } from "./log.js";
import { type OpenLogFile, useLogFile } from "./log-file.js";
import { isFree, type LogLoss, lossError } from "./loss.js";
import { mend } from "./mend.js";
import { createClosedSegment, type Segment } from "./segment.js";
import { listSegmentFiles } from "./segment-files.js";
import { type FoundSegment, isUnborn, type Survey, survey } from "./survey.js";

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
  /** In order; the last is the one to append to. */
  readonly segments: Segment[];
  readonly cutBytes: number;
}

/** More records than a segment of the largest size can hold: numbers of lost ones are not given out again. */
const SEQ_BEYOND = 100_000_000;

/**
 * Reads all segments of a directory, cuts what a crash left unfinished at the end, and begins a segment where there is
 * none, or none that may be continued with `nextSeqMin`.
 * @throws {MemoryError} `runtime_error` naming what is damaged (unless `repair`), missing or another log's (unless
 * `acceptLoss`); `unsupported` for a segment of a later format.
 */
export async function recoverLog(
  directory: string,
  options: RecoveryOptions,
  dependencies: RecoveryDependencies,
): Promise<RecoveredLog> {
  const { nextSeqMin } = options;
  const found = await surveyed(directory, options, dependencies);
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

/** The log as it is once what has been lost is dealt with. New records are numbered `beyondSeq` at least. */
async function surveyed(
  directory: string,
  options: RecoveryOptions,
  dependencies: RecoveryDependencies,
): Promise<Pick<Survey, "found"> & { beyondSeq: number }> {
  const { nextSeqMin } = options;
  const files = await listSegmentFiles(directory);
  const first = await survey(files, { ...dependencies, nextSeqMin });
  const { losses } = first;
  const costly = losses.filter((loss) => !isFree(loss, nextSeqMin));
  const refused = costly.filter(({ kind }) => !(kind === "damaged" ? options.repair : options.acceptLoss));
  const isRefused = refused.length > 0 || (first.foreign.length > 0 && !options.acceptLoss);
  if (isRefused) throw lossError({ ...first, losses: [...foreignLosses(first), ...costly], nextSeqMin });
  const hasHeaders = first.found.every((found) => found.hasHeader || isUnborn(found));
  if (costly.length === 0 && first.foreign.length === 0 && hasHeaders) {
    if (losses.length > 0) dependencies.logger.warn({ losses }, "the log has lost records that are stored");
    return { ...first, beyondSeq: 0 };
  }
  await mend(directory, first, { ...dependencies, nextSeqMin });
  const left = await listSegmentFiles(directory);
  const again = await survey(left, { ...dependencies, nextSeqMin, kept: undefined, onRecord: undefined });
  return { ...again, beyondSeq: beyondSeq(first, dependencies.kept) };
}

function foreignLosses({ foreign }: Survey): LogLoss[] {
  const reason = "it is of another log";
  return foreign.map(({ path, firstSeq }) => ({
    ...{ kind: "foreign", file: path, offset: 0, seq: firstSeq, nextSeq: undefined, reason },
  }));
}

/** Beyond what a lost end can have held. */
function beyondSeq({ losses, found }: Survey, kept: readonly LogPart[] = []): number {
  if (losses.every(({ nextSeq }) => nextSeq !== undefined)) return 0;
  const ends = found.map(({ segment, source }) => segment?.nextSeq ?? source.firstSeq);
  const keptSeqs = kept.map(({ name }) => Number.parseInt(name, 10));
  return Math.max(...ends, ...keptSeqs, ...losses.map(({ seq }) => seq)) + SEQ_BEYOND;
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

/** Removes what was never acknowledged: the end of the newest segment, or all of it when it was being created. */
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
