import { FRAME_HEADER_BYTES, type Frame, frameBytes, readFrame, readFrameSeq } from "./frame.js";
import type { LogFile } from "./log-file.js";
import type { Segment } from "./segment.js";
import { SEGMENT_HEADER_BYTES } from "./segment-header.js";

/** Large enough for several stores of 1,000 entries. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** Bytes to read for large records that are only skimmed. */
const SKIMMED_CHUNK_BYTES = 64 * 1024;
/** Minimum bytes from the start of each record that a skimming scan returns. */
const SKIMMED_BYTES = 4 * 1024;

export interface ScannedFile {
  readonly file: LogFile;
  /** Buffer for each chunk that is read. */
  readonly buffer: Buffer;
}

/** Offset of a frame and its sequence number. */
export interface FramePosition {
  readonly offset: number;
  readonly seq: number;
}

/** Returns a buffer for scanning many files, because a new buffer per file would be megabytes of garbage. */
export function scanBuffer(): Buffer {
  return Buffer.allocUnsafe(CHUNK_BYTES);
}

/**
 * Passes the frames of a segment file to `onFrame` in order. Starts at `begin`, and stops at `endOffset` or
 * at the first frame that is damaged or has an unexpected number. A payload is valid until `onFrame` returns.
 * @returns the offset at which it stopped.
 */
export async function scanFrames(
  { file, buffer }: ScannedFile,
  { salt, begin }: { readonly salt: number; readonly begin: FramePosition },
  endOffset: number,
  onFrame: (frame: Frame) => void,
): Promise<number> {
  let { offset, seq } = begin;
  while (offset < endOffset) {
    const chunk = await readChunk(file, offset, endOffset, buffer);
    let at = 0;
    for (let frame = readFrame(chunk, at, salt); frame?.seq === seq; ) {
      onFrame(frame);
      at += FRAME_HEADER_BYTES + frame.payload.length;
      seq += frame.lostCount || 1;
      frame = readFrame(chunk, at, salt);
    }
    if (at === 0) break;
    offset += at;
  }
  return offset;
}

/** Receives a record, or at least its first `SKIMMED_BYTES`, which are not checked. */
type OnSkimmed = (seq: number, beginning: Buffer, found: { frameBytes: number; isChecked: boolean }) => void;

/**
 * Passes on the records of a segment file in order, without reading large records completely. The bytes are
 * valid until `onRecord` returns.
 * @returns the offset at which it stopped: `endOffset`, or the first frame that is damaged, exceeds the file
 * or has an unexpected number.
 */
export async function skimFrames(
  { file, buffer }: ScannedFile,
  segment: Pick<Segment, "firstSeq" | "salt">,
  endOffset: number,
  onRecord: OnSkimmed,
): Promise<number> {
  let offset = SEGMENT_HEADER_BYTES;
  let seq = segment.firstSeq;
  let available = SKIMMED_CHUNK_BYTES;
  while (offset < endOffset) {
    const into = buffer.subarray(0, Math.min(available, endOffset - offset));
    const chunk = into.subarray(0, await file.read(into, offset));
    let at = 0;
    for (let size = sizeAt(chunk, at); size !== undefined; size = sizeAt(chunk, at)) {
      const isWhole = at + size <= chunk.length;
      if (readFrameSeq(chunk, at) !== seq || offset + at + size > endOffset) return offset + at;
      // A filler makes the caller read the segment again, completely.
      if (isWhole && readFrame(chunk, at, segment.salt)?.lostCount !== 0) return offset + at;
      const beginning = chunk.subarray(at + FRAME_HEADER_BYTES, at + size);
      onRecord(seq, beginning, { frameBytes: size, isChecked: isWhole });
      at += size;
      seq += 1;
    }
    if (at === 0) break;
    available = at > chunk.length ? SKIMMED_CHUNK_BYTES : CHUNK_BYTES;
    offset += at;
  }
  return offset;
}

/** Returns the size of the frame at an offset, or undefined if the chunk has too little of it to skim. */
function sizeAt(chunk: Buffer, at: number): number | undefined {
  if (at + FRAME_HEADER_BYTES > chunk.length) return undefined;
  const size = frameBytes(chunk, at);
  return at + Math.min(size, FRAME_HEADER_BYTES + SKIMMED_BYTES) > chunk.length ? undefined : size;
}

/** @returns many frames, or one larger frame. The last frame may be incomplete. */
async function readChunk(file: LogFile, offset: number, endOffset: number, buffer: Buffer): Promise<Buffer> {
  const available = buffer.subarray(0, endOffset - offset);
  const chunk = available.subarray(0, await file.read(available, offset));
  if (chunk.length < FRAME_HEADER_BYTES) return chunk;
  const frameEnd = offset + frameBytes(chunk, 0);
  const isIncomplete = frameEnd > offset + chunk.length;
  return isIncomplete && frameEnd <= endOffset ? readBytes(file, offset, frameEnd) : chunk;
}

/** @returns the bytes from `begin` to `end`, fewer at the end of the file. */
export async function readBytes(file: LogFile, begin: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - begin);
  return bytes.subarray(0, await file.read(bytes, begin));
}
