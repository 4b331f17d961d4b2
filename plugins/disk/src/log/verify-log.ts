import { readdir } from "node:fs/promises";
import { isMissingFile } from "../directory/index.js";
import { inspectLogFile } from "./inspect-files.js";
import type { LogRecovery } from "./log.js";
import { openLogFile } from "./log-file.js";
import { listSegmentFiles } from "./segment-files.js";
import { isUnborn, survey } from "./survey.js";

export interface LogReport {
  readonly recordCount: number;
  /** What opening it would refuse or pass over: sentences that name file and record. */
  readonly problems: readonly string[];
}

/** Reads all of the file log in a directory, and changes nothing. The directory must not be in use. */
export async function verifyLog(
  directory: string,
  { nextSeqMin, onRecord, keeper }: Pick<LogRecovery, "nextSeqMin" | "onRecord" | "keeper">,
): Promise<LogReport> {
  const isThere = await readdir(directory).then(
    () => true,
    (error: unknown) => {
      if (isMissingFile(error)) return false;
      throw error;
    },
  );
  const files = isThere ? await listSegmentFiles(directory) : [];
  const found = await survey(files, { nextSeqMin, onRecord, kept: keeper?.kept, openFile: openLogFile });
  const problems = [
    ...found.losses.map(
      ({ file, offset, seq, reason }) => `${file}, byte ${offset}, record ${seq}: ${reason}`,
    ),
    // A start makes it again where the rest is whole.
    ...found.found.flatMap((each) =>
      each.hasHeader || isUnborn(each) ? [] : `${each.source.path}, byte 0: the header is damaged`,
    ),
    ...found.foreign.map(({ path }) => `${path} is of another log`),
  ];
  // Of what is stored, a survey reads the beginnings alone.
  for (const { path } of files.slice(0, -1)) {
    const { damage } = await inspectLogFile(path);
    for (const { begin, seq } of damage)
      problems.push(`${path}, byte ${begin}, record ${seq}: cannot be read`);
  }
  return { recordCount: found.readableCount, problems: [...new Set(problems)] };
}
