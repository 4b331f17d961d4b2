import { FRAME_HEADER_BYTES, type Frame, frameBytes, readFrame, readFrameSeq } from "./frame.js";

const SECTOR_BYTES = 512;

export interface LogTail {
  /** Everything from the bad record to the end of the file. */
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly offset: number;
  /** Sequence number the bad record should have. */
  readonly seq: number;
  readonly salt: number;
}

/**
 * Tells a write that a crash cut short, whose records were never acknowledged, from damage to acknowledged ones.
 * Nothing readable behind the bad record: torn. A readable record of a later group: the bad one was durable before
 * that was written, so it is damage. A readable record of the same group: a crash keeps any of the sectors of an
 * unfinished write, so it is torn if one of them is missing in the bad record, which then reads as zeros.
 */
export function isTornTail(tail: LogTail): boolean {
  let firstReadable: number | undefined;
  for (const { offset, frame } of readableFrames(tail)) {
    if (frame.groupFirstSeq > tail.seq) return false;
    firstReadable ??= offset;
  }
  return firstReadable === undefined || hasZeroSector(tail, firstReadable);
}

/** Frames at any byte offset behind the bad record, numbered as is possible there. */
export function* readableFrames(tail: LogTail): Generator<{ offset: number; frame: Frame }> {
  const { bytes, salt, seq } = tail;
  for (let offset = 1; offset + FRAME_HEADER_BYTES <= bytes.length; offset++) {
    const claimedSeq = readFrameSeq(bytes, offset);
    if (claimedSeq <= seq || claimedSeq > seq + offset / FRAME_HEADER_BYTES) continue;
    const frame = readFrame(bytes, offset, salt);
    if (frame === undefined) continue;
    yield { offset, frame };
    offset += frameBytes(bytes, offset) - 1;
  }
}

/** True when all bytes before `end` that share a sector are zero, for any sector that ends there or before. */
function hasZeroSector(tail: LogTail, end: number): boolean {
  let begin = 0;
  let sectorEnd = SECTOR_BYTES - (tail.offset % SECTOR_BYTES);
  while (sectorEnd <= end) {
    if (tail.bytes.subarray(begin, sectorEnd).every((byte) => byte === 0)) return true;
    begin = sectorEnd;
    sectorEnd += SECTOR_BYTES;
  }
  return false;
}
