import { crc32 } from "node:zlib";

/**
 * Size of a frame header. A frame is one record on disk, little-endian:
 * - u32 payload length
 * - u32 CRC-32 of all following bytes
 * - u64 sequence number
 * - u32 position in the group it was written with
 * - payload
 *
 * A group is written only when everything before it is durable, so the position shows which records were
 * durable when the record was written. From `FILLER` on the position has another meaning. The frame then
 * replaces unreadable records after a repair. Their bytes are its payload, and the field contains their number.
 */
export const FRAME_HEADER_BYTES = 20;

const CRC_OFFSET = 4;
const SEQ_OFFSET = 8;
const GROUP_INDEX_OFFSET = 16;
const UINT32_COUNT = 2 ** 32;
const FILLER = 2 ** 31;

export interface Frame {
  readonly seq: number;
  /** Sequence number of the first record of the same write. */
  readonly groupFirstSeq: number;
  /** View into the buffer that was read. */
  readonly payload: Buffer;
  /** Number of lost records that a filler replaces, starting with this one. 0 for a record. */
  readonly lostCount: number;
}

/**
 * Writes the header in front of a payload that is already in place. `salt` is unique to the segment and
 * starts the CRC. Therefore neither a payload nor remains of another file can pass as a frame.
 */
function writeFrameHeader(
  bytes: Buffer,
  offset: number,
  frame: { payloadBytes: number; seq: number; groupIndex: number; salt: number },
): void {
  bytes.writeUInt32LE(frame.payloadBytes, offset);
  writeUint53(bytes, frame.seq, offset + SEQ_OFFSET);
  bytes.writeUInt32LE(frame.groupIndex, offset + GROUP_INDEX_OFFSET);
  const checked = bytes.subarray(offset + SEQ_OFFSET, offset + FRAME_HEADER_BYTES + frame.payloadBytes);
  bytes.writeUInt32LE(crc32(checked, frame.salt), offset + CRC_OFFSET);
}

/** Encodes a record that is written alone, after everything before it is durable. */
export function encodeFrame(payload: Uint8Array, { seq, salt }: { seq: number; salt: number }): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  bytes.set(payload, FRAME_HEADER_BYTES);
  writeFrameHeader(bytes, 0, { payloadBytes: payload.length, seq, groupIndex: 0, salt });
  return bytes;
}

/** Returns the size of the frame at `offset`. Its header must be present but may be damaged. */
export function frameBytes(bytes: Buffer, offset: number): number {
  return FRAME_HEADER_BYTES + bytes.readUInt32LE(offset);
}

/** @returns the frame at `offset`, or undefined if it is incomplete or damaged. */
export function readFrame(bytes: Buffer, offset: number, salt: number): Frame | undefined {
  if (offset + FRAME_HEADER_BYTES > bytes.length) return undefined;
  const end = offset + frameBytes(bytes, offset);
  if (end > bytes.length) return undefined;
  const checksum = crc32(bytes.subarray(offset + SEQ_OFFSET, end), salt);
  if (checksum !== bytes.readUInt32LE(offset + CRC_OFFSET)) return undefined;
  const seq = readFrameSeq(bytes, offset);
  const groupIndex = bytes.readUInt32LE(offset + GROUP_INDEX_OFFSET);
  const lostCount = Math.max(0, groupIndex - FILLER);
  const groupFirstSeq = lostCount > 0 ? seq : seq - groupIndex;
  return { seq, groupFirstSeq, payload: bytes.subarray(offset + FRAME_HEADER_BYTES, end), lostCount };
}

/** Returns the header that turns unreadable bytes into a filler. `bytes` starts with space for the header. */
export function fillerHeader(bytes: Buffer, lost: { seq: number; count: number; salt: number }): Buffer {
  const filler = Buffer.from(bytes);
  const payloadBytes = bytes.length - FRAME_HEADER_BYTES;
  const { seq, count, salt } = lost;
  writeFrameHeader(filler, 0, { payloadBytes, seq, groupIndex: FILLER + count, salt });
  return filler.subarray(0, FRAME_HEADER_BYTES);
}

/** Returns the sequence number in the header at `offset` without checking it, as a fast filter. */
export function readFrameSeq(bytes: Buffer, offset: number): number {
  return readUint53(bytes, offset + SEQ_OFFSET);
}

/** Writes an exact integer as u64, without the allocation of a bigint. */
export function writeUint53(bytes: Buffer, value: number, offset: number): void {
  bytes.writeUInt32LE(value % UINT32_COUNT, offset);
  bytes.writeUInt32LE(Math.floor(value / UINT32_COUNT), offset + 4);
}

export function readUint53(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset + 4) * UINT32_COUNT + bytes.readUInt32LE(offset);
}

const BUFFER_BYTES = 4 * 1024;

interface Waiter {
  readonly resolve: (seq: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Records that are written and become durable together. */
export class RecordGroup {
  readonly firstSeq: number;
  /** Offset of each frame from the start of the group. */
  readonly offsets: number[] = [];
  readonly #waiters: Waiter[] = [];
  #bytes = Buffer.allocUnsafe(BUFFER_BYTES);
  #sizeBytes = 0;

  constructor(firstSeq: number) {
    this.firstSeq = firstSeq;
  }

  get count(): number {
    return this.offsets.length;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get payloadBytes(): number {
    return this.#sizeBytes - this.count * FRAME_HEADER_BYTES;
  }

  /** Copies the payload. @returns the record's sequence number once the group is resolved. */
  add(payload: Uint8Array): Promise<number> {
    const offset = this.#sizeBytes;
    const end = offset + FRAME_HEADER_BYTES + payload.length;
    this.#reserve(end);
    this.#bytes.set(payload, offset + FRAME_HEADER_BYTES);
    this.offsets.push(offset);
    this.#sizeBytes = end;
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Completes the frames with the segment's salt. @returns the bytes to write. */
  seal(salt: number): Uint8Array {
    this.offsets.forEach((offset, groupIndex) => {
      const end = this.offsets[groupIndex + 1] ?? this.#sizeBytes;
      const payloadBytes = end - offset - FRAME_HEADER_BYTES;
      writeFrameHeader(this.#bytes, offset, {
        payloadBytes,
        seq: this.firstSeq + groupIndex,
        groupIndex,
        salt,
      });
    });
    return this.#bytes.subarray(0, this.#sizeBytes);
  }

  resolve(): void {
    this.#waiters.forEach((waiter, index) => {
      waiter.resolve(this.firstSeq + index);
    });
  }

  reject(error: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }

  #reserve(sizeBytes: number): void {
    if (sizeBytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(sizeBytes, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#sizeBytes);
    this.#bytes = larger;
  }
}
