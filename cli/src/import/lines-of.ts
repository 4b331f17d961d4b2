import { createReadStream } from "node:fs";

/** A line of a file with its line end. */
export interface FileLine {
  /** Starts at 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

const LINE_FEED = 0x0a;

/** Longer than any entry, and small enough for every machine. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Yields the lines of a file as they are on disk. The last line may have no line end.
 * @throws {TypeError} for a line of more than 64 MiB.
 */
export async function* linesOf(path: string): AsyncGenerator<FileLine> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      parts.push(chunk.subarray(from, end + 1));
      yield { line: line++, bytes: Buffer.concat(parts) };
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LINE_BYTES_MAX) throw new TypeError(`line ${line}: longer than ${LINE_BYTES_MAX} bytes`);
  }
  if (parts.length > 0) yield { line, bytes: Buffer.concat(parts) };
}
