import { access, copyFile, rename } from "node:fs/promises";
import type { Logger } from "@membus/protocol";
import { syncDirectory } from "../directory/index.js";
import { fillerHeader } from "./frame.js";
import type { SegmentHole } from "./inspect-segment.js";
import { type LogFile, type OpenLogFile, useLogFile } from "./log-file.js";
import { readBytes } from "./scan.js";
import type { Segment } from "./segment.js";
import { encodeSegmentHeader, SEGMENT_FORMAT } from "./segment-header.js";
import { isUnborn, type Survey } from "./survey.js";

export interface MendDependencies {
  readonly logger: Logger;
  readonly openFile: OpenLogFile;
  /** Records below are stored elsewhere. */
  readonly nextSeqMin: number;
}

/**
 * Makes a log with losses one without, keeping every record that can be read. A copy of each damaged file stays beside it
 * as `*.corrupt-<n>`, files of another log are moved to `*.foreign-<n>`. Killed at any point, it can be run again.
 */
export async function mend(
  directory: string,
  { found, foreign, losses }: Survey,
  { logger, openFile, nextSeqMin }: MendDependencies,
): Promise<void> {
  const copies: string[] = [];
  for (const { path } of foreign) copies.push(await renameAside(path, "foreign"));
  let expected: number | undefined;
  for (const each of found) {
    const { source, segment, holes, hasHeader } = each;
    if (isUnborn(each)) continue;
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
  logger.warn({ losses, copies }, "opened a log without what it has lost; all that can be read is kept");
}

function writeHeader(file: LogFile, { firstSeq, salt }: Segment, continuesFrom: number): Promise<void> {
  return file.write(encodeSegmentHeader({ format: SEGMENT_FORMAT, firstSeq, salt, continuesFrom }), 0);
}

/** One write of a few bytes: after a crash there is the hole or the filler. Behind the last record nothing has to stay. */
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

async function renameAside(path: string, suffix: "corrupt" | "foreign"): Promise<string> {
  const aside = await unusedPath(path, suffix);
  await rename(path, aside);
  return aside;
}

async function unusedPath(path: string, suffix: "corrupt" | "foreign"): Promise<string> {
  for (let n = 1; ; n++) {
    const candidate = `${path}.${suffix}-${n}`;
    const isUsed = await access(candidate).then(
      () => true,
      () => false,
    );
    if (!isUsed) return candidate;
  }
}
