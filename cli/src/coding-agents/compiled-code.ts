import { hash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Bytes of the checksum before the compiled code. */
const CHECKSUM_BYTES = 32;

/**
 * Returns the compiled code of a source, or undefined if the file is missing, damaged, or of another source. V8 only
 * compares the length of the source.
 */
export function readCompiled(path: string, source: Buffer): Buffer | undefined {
  try {
    const file = readFileSync(path);
    const compiled = file.subarray(CHECKSUM_BYTES);
    return checksum(source, compiled).equals(file.subarray(0, CHECKSUM_BYTES)) ? compiled : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes compiled code that only the user may read. Never throws, because without it the next process is only slower, and
 * because an exit handler calls it.
 */
export function writeCompiled(path: string, source: Buffer, compiled: Buffer): void {
  // If two processes write it at once, the checksum finds a mixture.
  const draft = `${path}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, Buffer.concat([checksum(source, compiled), compiled]), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    // Such as a full disk.
  }
}

function checksum(source: Buffer, compiled: Buffer): Buffer {
  return hash("sha256", Buffer.concat([source, compiled]), "buffer");
}
