import { MemoryError } from "@membus/protocol";
import { FRAME_HEADER_BYTES, type Frame } from "./frame.js";
import type { OnRecord } from "./log.js";
import type { LogFile } from "./log-file.js";
import { type FramePosition, readBytes, type ScannedFile, scanFrames, skimFrames } from "./scan.js";
import { Segment } from "./segment.js";
import type { SegmentFile } from "./segment-files.js";
import { decodeSegmentHeader, SEGMENT_FORMAT, SEGMENT_HEADER_BYTES } from "./segment-header.js";
import { isTornTail, readableFrames } from "./torn-tail.js";

/** Unreadable bytes of a segment file that contained acknowledged records. */
export interface SegmentHole {
  readonly begin: number;
  readonly end: number;
  /** First lost record. */
  readonly seq: number;
  /** Record after the gap. Undefined if the gap extends to the end of the file. */
  readonly nextSeq: number | undefined;
}

export interface SegmentRecords {
  readonly holes: readonly SegmentHole[];
  /** Number of readable records. */
  readonly count: number;
}

export interface InspectionOptions {
  /**
   * Whether a crash may have interrupted the last write. False for older segments, because they were synced
   * before the newest was created.
   */
  readonly mayBeTorn: boolean;
  /** Whether all its records are stored elsewhere. They are then only skimmed, unless they look damaged. */
  readonly isStored: boolean;
  readonly onRecord?: OnRecord | undefined;
}

/**
 * @returns the segment without its records, or undefined if its header is damaged or does not match the file
 * name.
 */
export async function readHeader(file: LogFile, source: SegmentFile): Promise<Segment | undefined> {
  const header = decodeSegmentHeader(await readBytes(file, 0, SEGMENT_HEADER_BYTES));
  if (header !== undefined && header.format !== SEGMENT_FORMAT) {
    const message = `${source.path} has log format ${header.format}, this version reads format ${SEGMENT_FORMAT}`;
    throw new MemoryError("unsupported", message, { file: source.path, format: header.format });
  }
  return header?.firstSeq === source.firstSeq ? new Segment(source.path, header) : undefined;
}

/**
 * Reads the records of a segment into it and passes them on. Searches for records after unreadable bytes.
 * The end of a file that may be torn was never acknowledged.
 */
export async function readRecords(
  scanned: ScannedFile,
  segment: Segment,
  { mayBeTorn, isStored, onRecord }: InspectionOptions,
): Promise<SegmentRecords> {
  const fileBytes = await scanned.file.size();
  if (isStored) {
    const count = await skim(scanned, segment, fileBytes, onRecord);
    if (count !== undefined) return { holes: [], count };
    segment.reset();
  }
  let count = 0;
  const take = (frame: Frame): void => {
    const { seq, payload, lostCount } = frame;
    const sizeBytes = FRAME_HEADER_BYTES + payload.length;
    if (lostCount > 0)
      return segment.addHole({ end: segment.sizeBytes + sizeBytes, nextSeq: seq + lostCount });
    segment.addRecord(sizeBytes);
    count += 1;
    onRecord?.(seq, payload);
  };
  const holes: SegmentHole[] = [];
  const scan = () => scanFrames(scanned, { salt: segment.salt, begin: endOf(segment) }, fileBytes, take);
  while ((await scan()) < fileBytes) {
    const hole = await findHole(scanned.file, segment, { fileBytes, mayBeTorn });
    if (hole === undefined) break;
    holes.push(hole);
    if (hole.nextSeq === undefined) break;
    segment.addHole({ end: hole.end, nextSeq: hole.nextSeq });
  }
  return { holes, count };
}

function endOf({ sizeBytes, nextSeq }: Segment): FramePosition {
  return { offset: sizeBytes, seq: nextSeq };
}

/** Returns the gap after the last readable record, or undefined for a write that a crash interrupted. */
async function findHole(
  file: LogFile,
  segment: Segment,
  { fileBytes, mayBeTorn }: { readonly fileBytes: number; readonly mayBeTorn: boolean },
): Promise<SegmentHole | undefined> {
  const { offset: begin, seq } = endOf(segment);
  const tail = { bytes: await readBytes(file, begin, fileBytes), offset: begin, seq, salt: segment.salt };
  if (mayBeTorn && isTornTail(tail)) return undefined;
  for (const { offset, frame } of readableFrames(tail)) {
    // A filler needs space for its header.
    if (offset >= FRAME_HEADER_BYTES) return { begin, end: begin + offset, seq, nextSeq: frame.seq };
  }
  return { begin, end: fileBytes, seq, nextSeq: undefined };
}

/** @returns the number of records, or undefined if skimming finds them invalid. */
async function skim(
  scanned: ScannedFile,
  segment: Segment,
  fileBytes: number,
  onRecord: OnRecord | undefined,
): Promise<number | undefined> {
  try {
    await skimFrames(scanned, segment, fileBytes, (seq, beginning, { frameBytes, isChecked }) => {
      segment.addRecord(frameBytes);
      segment.isSkimmed ||= !isChecked;
      onRecord?.(seq, beginning);
    });
  } catch {
    return undefined;
  }
  return segment.sizeBytes === fileBytes ? segment.nextSeq - segment.firstSeq : undefined;
}
