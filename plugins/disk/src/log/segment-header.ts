import { crc32 } from "node:zlib";
import { readUint53, writeUint53 } from "./frame.js";

/**
 * Size of a segment header, little-endian:
 * - magic
 * - u32 format
 * - u32 salt
 * - u64 first sequence number
 * - u64 sequence number after the previous segment
 * - u32 CRC-32
 *
 * Later formats keep this layout.
 */
export const SEGMENT_HEADER_BYTES = 36;

export const SEGMENT_FORMAT = 3;

const MAGIC = Buffer.from("MEMBUSLG", "latin1");
const CRC_OFFSET = 32;

export interface SegmentHeader {
  readonly format: number;
  /** Random. Starts the CRC of every record in the segment. */
  readonly salt: number;
  readonly firstSeq: number;
  /**
   * Sequence number after the previous segment. Less than `firstSeq` after a repair, which never assigns a
   * number twice.
   */
  readonly continuesFrom: number;
}

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(header.format, 8);
  bytes.writeUInt32LE(header.salt, 12);
  writeUint53(bytes, header.firstSeq, 16);
  writeUint53(bytes, header.continuesFrom, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_OFFSET)), CRC_OFFSET);
  return bytes;
}

/** @returns the header, or undefined if it is incomplete or damaged. */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.length < SEGMENT_HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (crc32(bytes.subarray(0, CRC_OFFSET)) !== bytes.readUInt32LE(CRC_OFFSET)) return undefined;
  return {
    format: bytes.readUInt32LE(8),
    salt: bytes.readUInt32LE(12),
    firstSeq: readUint53(bytes, 16),
    continuesFrom: readUint53(bytes, 24),
  };
}
