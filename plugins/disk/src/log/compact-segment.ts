import { rm } from "node:fs/promises";
import { encodeFrame, readFrame } from "./frame.js";
import type { ShrinkRecord } from "./log.js";
import { type LogFile, type OpenLogFile, useLogFile } from "./log-file.js";
import { readBytes } from "./scan.js";
import { Segment } from "./segment.js";
import { encodeSegmentHeader, SEGMENT_FORMAT } from "./segment-header.js";

/** Average record size in bytes below which compaction is not worthwhile. */
const RECORD_BYTES_MIN = 2 * 1024;
/** Maximum bytes per write. */
const BATCH_BYTES = 1024 * 1024;

interface Files {
  readonly from: LogFile;
  readonly to: LogFile;
}

/**
 * Returns the draft path of a segment. A draft left by a crash is overwritten, or removed with its segment.
 */
export function draftPathOf({ path }: Pick<Segment, "path">): string {
  return `${path}.new`;
}

export function isWorthCompacting({ isCompact, isEmpty, sizeBytes, firstSeq, nextSeq }: Segment): boolean {
  return !isCompact && !isEmpty && sizeBytes / (nextSeq - firstSeq) >= RECORD_BYTES_MIN;
}

/**
 * Writes a compacted copy of a segment next to it.
 * @returns the durable draft, or undefined if a record is unreadable.
 */
export async function compactSegment(
  segment: Segment,
  shrink: ShrinkRecord,
  openFile: OpenLogFile,
): Promise<Segment | undefined> {
  const draft = draftPathOf(segment);
  let compact: Segment | undefined;
  try {
    compact = await useLogFile(openFile(segment.path, "r"), (from) =>
      useLogFile(openFile(draft, "w+"), (to) => copyRecords({ from, to }, segment, shrink)),
    );
    return compact;
  } finally {
    if (compact === undefined) await rm(draft, { force: true });
  }
}

async function copyRecords(
  { from, to }: Files,
  segment: Segment,
  shrink: ShrinkRecord,
): Promise<Segment | undefined> {
  const { path, salt, firstSeq, continuesFrom, nextSeq } = segment;
  const compact = new Segment(path, { firstSeq, salt, continuesFrom });
  compact.isCompact = true;
  const header = encodeSegmentHeader({ format: SEGMENT_FORMAT, salt, firstSeq, continuesFrom });
  let batch: Buffer[] = [header];
  let batchAt = 0;
  for (let seq = firstSeq; seq < nextSeq; seq++) {
    const payload = await readPayload(from, segment, seq);
    if (payload === undefined) return undefined;
    const frame = encodeFrame(shrink(payload), { seq, salt });
    compact.addRecord(frame.length);
    batch.push(frame);
    if (compact.sizeBytes - batchAt < BATCH_BYTES && seq + 1 < nextSeq) continue;
    await to.write(Buffer.concat(batch), batchAt);
    batch = [];
    batchAt = compact.sizeBytes;
  }
  await to.sync();
  return compact;
}

async function readPayload(file: LogFile, segment: Segment, seq: number): Promise<Buffer | undefined> {
  const place = segment.locate(seq);
  if (place === undefined) return undefined;
  const frame = readFrame(await readBytes(file, place.begin, place.end), 0, segment.salt);
  return frame?.seq === seq ? frame.payload : undefined;
}
