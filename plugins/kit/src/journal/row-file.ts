import { crc32 } from "node:zlib";
import { decode, Encoder } from "@msgpack/msgpack";
import type { ScopedRow } from "../storage.js";
import { type PackedRow, packRow, unpackRow } from "./record.js";

/** Rows outside of log and storage, with notes of the component that stores them. */
export interface RowFile {
  readonly notes: string;
  readonly rows: readonly ScopedRow[];
}

type PackedRows = readonly [notes: string, rows: (readonly [scope: string, row: PackedRow])[]];

const encoder = new Encoder();
const CHECKSUM_BYTES = 4;

export function encodeRows({ notes, rows }: RowFile): Uint8Array {
  const packed: PackedRows = [notes, rows.map(({ scope, row }) => [scope, packRow(row)])];
  const bytes = encoder.encode(packed);
  const checksum = Buffer.allocUnsafe(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(bytes));
  return Buffer.concat([checksum, bytes]);
}

/** @throws {RangeError} for damaged bytes. */
export function decodeRows(bytes: Uint8Array): RowFile {
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const content = kept.subarray(CHECKSUM_BYTES);
  if (kept.length < CHECKSUM_BYTES || crc32(content) !== kept.readUInt32LE(0)) {
    throw new RangeError("the checksum does not match, the file is damaged");
  }
  const [notes, rows] = decode(content) as PackedRows;
  return { notes, rows: rows.map(([scope, row]) => ({ scope, row: unpackRow(row) })) };
}
