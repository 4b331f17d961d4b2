import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { noFile } from "../directory/index.js";

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

/**
 * @returns the segments in a directory, oldest first. Other files are ignored.
 * @throws {MemoryError} `runtime_error` for a folder with the name of a segment.
 */
export async function listSegmentFiles(directory: string): Promise<SegmentFile[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const segments = entries.flatMap((entry) => {
    const firstSeq = Number(NAME.exec(entry.name)?.[1]);
    if (!Number.isSafeInteger(firstSeq)) return [];
    const path = join(directory, entry.name);
    if (entry.isDirectory()) throw noFile(path);
    return [{ path, firstSeq }];
  });
  return segments.sort((a, b) => a.firstSeq - b.firstSeq);
}
