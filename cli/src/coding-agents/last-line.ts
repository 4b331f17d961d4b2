import { readFileSync } from "node:fs";

/** Characters of the log in a notice. */
const LINE_LENGTH_MAX = 300;

/** Returns the last line of a log after its first `sizeBytes` bytes. Never throws, because an exit handler calls it. */
export function lastLine(path: string, sizeBytes: number): string {
  try {
    const lines = readFileSync(path).subarray(sizeBytes).toString().trim().split("\n");
    return lines.at(-1)!.slice(0, LINE_LENGTH_MAX) || "it wrote no log";
  } catch (error) {
    return `its log cannot be read: ${(error as Error).message}`;
  }
}
