import { rm } from "node:fs/promises";
import { encodeFrame, readFrame } from "./frame.js";
import type { ShrinkRecord } from "./log.js";
import { type LogFile, type OpenLogFile, useLogFile } from "./log-file.js";
import { readBytes } from "./scan.js";
import { Segment } from "./segment.js";
import { encodeSegmentHeader, SEGMENT_FORMAT } from "./segment-header.js";

/** Where records have fewer bytes than this, on average, little is gained. */
const RECORD_BYTES_MIN = 2 * 1024;
/** Written at once. */
const BATCH_BYTES = 1024 * 1024;

interface Files {
  readonly from: LogFile;
  readonly to: LogFile;
}

/** Where a segment is until it is whole. What a crash leaves there is written over, or goes with its segment. */
export function draftPathOf({ path }: Pick<Segment, "path">): string {
  return `${path}.new`;
}

export function isWorthCompacting({ isCompact, isEmpty, sizeBytes, firstSeq, nextSeq }: Segment): boolean {
  return !isCompact && !isEmpty && sizeBytes / (nextSeq - firstSeq) >= RECORD_BYTES_MIN;
}

/**
 * Writes a segment with smaller records beside the one whose place it is to take.
 * @returns what is in the draft, on disk for good; undefined where not every record can be read.
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
