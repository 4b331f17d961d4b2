import { FRAME_HEADER_BYTES, type Frame, frameBytes, readFrame, readFrameSeq } from "./frame.js";

const SECTOR_BYTES = 512;

export interface LogTail {
  /** All bytes from the bad record to the end of the file. */
  readonly bytes: Buffer;
  /** Offset of the tail in the file. */
  readonly offset: number;
  /** Expected sequence number of the bad record. */
  readonly seq: number;
  readonly salt: number;
}

/**
 * Returns whether a crash interrupted the last, unacknowledged write, as opposed to
 * damage to acknowledged records. There are three cases:
 * - Without a readable record after the bad one, the tail is torn.
 * - A readable record of a later group means damage, because the bad record was durable before it was
 *   written.
 * - With a readable record of the same group, the tail is torn if a sector of the bad record is all zeros.
 *   A crash may keep any of the sectors of an unfinished write.
 */
export function isTornTail(tail: LogTail): boolean {
  let firstReadable: number | undefined;
  for (const { offset, frame } of readableFrames(tail)) {
    if (frame.groupFirstSeq > tail.seq) return false;
    firstReadable ??= offset;
  }
  return firstReadable === undefined || hasZeroSector(tail, firstReadable);
}

/** Yields readable frames at any byte offset after the bad record, with plausible numbers. */
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

/** Returns whether a sector that ends at or before `end` contains only zeros. */
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
