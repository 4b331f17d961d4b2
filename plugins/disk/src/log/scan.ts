import { FRAME_HEADER_BYTES, type Frame, frameBytes, readFrame, readFrameSeq } from "./frame.js";
import type { LogFile } from "./log-file.js";
import type { Segment } from "./segment.js";
import { SEGMENT_HEADER_BYTES } from "./segment-header.js";

/** Room for a store of 1000 entries, several times. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** What is read of a large record whose end does not matter. */
const SKIMMED_CHUNK_BYTES = 64 * 1024;
/** A record's first bytes, which skimming passes on at least. */
const SKIMMED_BYTES = 4 * 1024;

export interface ScannedFile {
  readonly file: LogFile;
  /** What is read goes here, chunk after chunk. */
  readonly buffer: Buffer;
}

/** Where a frame begins, and its number. */
export interface FramePosition {
  readonly offset: number;
  readonly seq: number;
}

/** For many files, one after the other: a new one for each would be garbage of as many megabytes. */
export function scanBuffer(): Buffer {
  return Buffer.allocUnsafe(CHUNK_BYTES);
}

/**
 * Passes the frames of a segment file to `onFrame` in order, from one on until `endOffset` or the first frame that is damaged or
 * not numbered as expected. A payload is there until `onFrame` is done with it.
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

/** Takes a record, or its first `SKIMMED_BYTES` at least, which are not checked. */
type OnSkimmed = (seq: number, beginning: Buffer, found: { frameBytes: number; isChecked: boolean }) => void;

/**
 * Passes the records of a segment file on in order, without reading all of large ones. A beginning is there until
 * `onRecord` is done with it.
 * @returns the offset at which it stopped: that of the first frame that is damaged, does not end in the file or is not
 * numbered as expected, or `endOffset`.
 */
export async function skimFrames(
  { file, buffer }: ScannedFile,
  segment: Pick<Segment, "firstSeq" | "salt">,
  endOffset: number,
  onRecord: OnSkimmed,
): Promise<number> {
  let offset = SEGMENT_HEADER_BYTES;
  let seq = segment.firstSeq;
  let room = SKIMMED_CHUNK_BYTES;
  while (offset < endOffset) {
    const into = buffer.subarray(0, Math.min(room, endOffset - offset));
    const chunk = into.subarray(0, await file.read(into, offset));
    let at = 0;
    for (let size = sizeAt(chunk, at); size !== undefined; size = sizeAt(chunk, at)) {
      const isWhole = at + size <= chunk.length;
      if (readFrameSeq(chunk, at) !== seq || offset + at + size > endOffset) return offset + at;
      // A filler is read anew, with all else in full.
      if (isWhole && readFrame(chunk, at, segment.salt)?.lostCount !== 0) return offset + at;
      const beginning = chunk.subarray(at + FRAME_HEADER_BYTES, at + size);
      onRecord(seq, beginning, { frameBytes: size, isChecked: isWhole });
      at += size;
      seq += 1;
    }
    if (at === 0) break;
    room = at > chunk.length ? SKIMMED_CHUNK_BYTES : CHUNK_BYTES;
    offset += at;
  }
  return offset;
}

/** Size of the frame at an offset; undefined where too little of it is in the chunk to skim it. */
function sizeAt(chunk: Buffer, at: number): number | undefined {
  if (at + FRAME_HEADER_BYTES > chunk.length) return undefined;
  const size = frameBytes(chunk, at);
  return at + Math.min(size, FRAME_HEADER_BYTES + SKIMMED_BYTES) > chunk.length ? undefined : size;
}

/** @returns many frames, or one that is larger; the last one may be incomplete. */
async function readChunk(file: LogFile, offset: number, endOffset: number, buffer: Buffer): Promise<Buffer> {
  const room = buffer.subarray(0, endOffset - offset);
  const chunk = room.subarray(0, await file.read(room, offset));
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
