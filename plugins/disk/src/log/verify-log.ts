import { readdir } from "node:fs/promises";
import { isMissingFile } from "../directory/index.js";
import { inspectLogFile } from "./inspect-files.js";
import type { LogRecovery } from "./log.js";
import { openLogFile } from "./log-file.js";
import { isUnfinished, scanSegments } from "./scan-segments.js";
import { listSegmentFiles } from "./segment-files.js";

export interface LogReport {
  readonly recordCount: number;
  /** Problems that opening would refuse or ignore, as sentences that name file and record. */
  readonly problems: readonly string[];
}

export interface VerifyLogOptions extends Pick<LogRecovery, "nextSeqMin" | "onRecord" | "keeper"> {
  /** Receives numbers of bytes as files are read. Their sum is the size of the log. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** Reads the whole file log in a directory and changes nothing. The directory must not be in use. */
export async function verifyLog(
  directory: string,
  { nextSeqMin, onRecord, keeper, onBytes = () => {} }: VerifyLogOptions,
): Promise<LogReport> {
  const isThere = await readdir(directory).then(
    () => true,
    (error: unknown) => {
      if (isMissingFile(error)) return false;
      throw error;
    },
  );
  const files = isThere ? await listSegmentFiles(directory) : [];
  const found = await scanSegments(files, {
    nextSeqMin,
    onRecord,
    kept: keeper?.kept,
    openFile: openLogFile,
    // Older files are read again below, so that each pass counts half of them.
    onSegment: ({ fileBytes, isNewest }) => onBytes(isNewest ? fileBytes : Math.ceil(fileBytes / 2)),
  });
  const problems = [
    ...found.losses.map(
      ({ file, offset, seq, reason }) => `${file}, byte ${offset}, record ${seq}: ${reason}`,
    ),
    // A start restores the header if the rest is intact.
    ...found.found.flatMap((each) =>
      each.hasHeader || isUnfinished(each) ? [] : `${each.source.path}, byte 0: the header is damaged`,
    ),
    ...found.foreign.map(({ path }) => `${path} belongs to another log`),
  ];
  // The scan reads only the beginnings of stored records.
  for (const { path } of files.slice(0, -1)) {
    const { damage, sizeBytes } = await inspectLogFile(path);
    onBytes(Math.floor(sizeBytes / 2));
    for (const { begin, seq } of damage) problems.push(`${path}, byte ${begin}, record ${seq}: unreadable`);
  }
  return { recordCount: found.readableCount, problems: [...new Set(problems)] };
}
