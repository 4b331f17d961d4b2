import { readdir } from "node:fs/promises";
import { join } from "node:path";

const NAME = /^(\d{20})\.log$/;

/** Segment as given by its file name. */
export interface SegmentFile {
  readonly path: string;
  readonly firstSeq: number;
}

/** @returns the path of the segment with the first record `firstSeq`. Names sort in record order. */
export function segmentPath(directory: string, firstSeq: number): string {
  return join(directory, `${String(firstSeq).padStart(20, "0")}.log`);
}

/** @returns the segments in a directory, oldest first. Other files are ignored. */
export async function listSegmentFiles(directory: string): Promise<SegmentFile[]> {
  const names = await readdir(directory);
  return names.sort().flatMap((name) => {
    const firstSeq = Number(NAME.exec(name)?.[1]);
    return Number.isSafeInteger(firstSeq) ? [{ path: join(directory, name), firstSeq }] : [];
  });
}
