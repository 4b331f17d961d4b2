import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "./kill-loop/chance.js";

/** Bytes of the log format before the first record, and between a record's length and its payload. */
const SEGMENT_HEADER_BYTES = 36;
const FRAME_HEADER_BYTES = 20;
/** Offset of the record number in a record header. */
const SEQ_OFFSET = 8;

/** Possible remains of a crash after the last acknowledged record. */
export const TAILS = ["none", "random bytes", "zeros", "half a record"] as const;
export type Tail = (typeof TAILS)[number];

/** Appends an unfinished write to the newest file of a log. */
export function appendTail(folder: string, tail: Tail, chance: Chance): void {
  const path = logFiles(folder).at(-1);
  if (path === undefined || tail === "none") return;
  const bytes = readFileSync(path);
  // Nothing can follow an incomplete header.
  if (bytes.length < SEGMENT_HEADER_BYTES) return;
  appendFileSync(path, tailBytes(bytes, tail, chance));
}

function tailBytes(log: Buffer, tail: Tail, chance: Chance): Buffer {
  if (tail === "zeros") return Buffer.alloc(1 + chance.int(2_000));
  const holdsRecord = log.length > SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES;
  if (tail === "random bytes" || !holdsRecord) return Buffer.from(chance.hex(1 + chance.int(2_000)), "hex");
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32LE(SEGMENT_HEADER_BYTES);
  return log.subarray(SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES + 1 + chance.int(frameBytes - 1));
}

/** Changes the number of the last record but one, which is acknowledged but not yet in the storage. */
export function damageInside(folder: string): { readonly path: string; readonly offset: number } {
  const files = logFiles(folder).map((path) => ({ path, frames: framesOf(readFileSync(path)) }));
  const { path, frames } = files.findLast((file) => file.frames.length > 1)!;
  const offset = frames.at(-2)! + SEQ_OFFSET;
  const bytes = readFileSync(path);
  bytes[offset]! ^= 0xff;
  writeFileSync(path, bytes);
  return { path, offset };
}

/** Returns the offsets of the complete records of a file. */
function framesOf(bytes: Buffer): number[] {
  const frames: number[] = [];
  for (let at = SEGMENT_HEADER_BYTES; at + FRAME_HEADER_BYTES <= bytes.length; ) {
    const next = at + FRAME_HEADER_BYTES + bytes.readUInt32LE(at);
    if (next > bytes.length) break;
    frames.push(at);
    at = next;
  }
  return frames;
}

/** Returns the log files, oldest first. */
export function logFiles(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".log"));
  return names.sort().map((name) => join(folder, name));
}
