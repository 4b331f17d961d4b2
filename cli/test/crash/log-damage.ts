import { randomBytes, randomInt } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Of the log's format: bytes before the first record, and before a record's payload, whose length comes first. */
const SEGMENT_HEADER_BYTES = 36;
const FRAME_HEADER_BYTES = 20;
/** Of a record's number in its header. */
const SEQ_OFFSET = 8;

/** What a crash can leave behind the last record that was acknowledged. */
export const TAILS = ["none", "random bytes", "zeros", "half a record"] as const;
export type Tail = (typeof TAILS)[number];

/** Adds an unfinished write to the newest file of a log. */
export function appendTail(folder: string, tail: Tail): void {
  const path = logFiles(folder).at(-1);
  if (path === undefined || tail === "none") return;
  const bytes = readFileSync(path);
  // A header that is not whole yet is never followed by anything.
  if (bytes.length < SEGMENT_HEADER_BYTES) return;
  appendFileSync(path, tailBytes(bytes, tail));
}

function tailBytes(log: Buffer, tail: Tail): Buffer {
  if (tail === "zeros") return Buffer.alloc(1 + randomInt(2_000));
  const holdsRecord = log.length > SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES;
  if (tail === "random bytes" || !holdsRecord) return randomBytes(1 + randomInt(2_000));
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32LE(SEGMENT_HEADER_BYTES);
  return log.subarray(SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES + 1 + randomInt(frameBytes - 1));
}

/**
 * Changes the number of a record in the middle of the file in the middle of a log: of a large record that storage has,
 * a start reads no more than the beginning.
 */
export function damageInside(folder: string): { readonly path: string; readonly offset: number } {
  const files = logFiles(folder);
  const path = files[Math.floor((files.length - 1) / 2)]!;
  const bytes = readFileSync(path);
  let [frame, next] = [SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES];
  while (next < bytes.length / 2) {
    frame = next;
    next += FRAME_HEADER_BYTES + bytes.readUInt32LE(frame);
  }
  const offset = frame + SEQ_OFFSET;
  bytes[offset]! ^= 0xff;
  writeFileSync(path, bytes);
  return { path, offset };
}

/** The oldest first. */
export function logFiles(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".log"));
  return names.sort().map((name) => join(folder, name));
}
