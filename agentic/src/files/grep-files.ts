import type { Filter } from "@membus/protocol";
import type { RE2JS } from "re2js";
import { shownPath } from "./file-path.js";
import type { FileCall, FileStore, StoredFile } from "./file-store.js";

/** Characters of a line in a result, around the match. */
const LINE_LENGTH_MAX = 500;
const LINE_BEFORE_MAX = 100;

/** A matching line. */
export interface FoundLine {
  /** Line number, from 1. */
  readonly line: number;
  /** The line, cut to 500 characters around the match. */
  readonly text: string;
}

/** A file with matching lines. */
export interface FoundFile {
  readonly path: string;
  /** Number of matching lines. */
  readonly count: number;
  /** First matching lines. */
  readonly lines: readonly FoundLine[];
}

export interface GrepResult {
  /** Sorted by path. */
  readonly files: readonly FoundFile[];
  /** False if more lines may match, because `limit` or a limit of the options was reached. */
  readonly isComplete: boolean;
}

export interface Grep {
  readonly folder: string;
  readonly regex: RE2JS;
  readonly limit: number;
  /** Condition for files, evaluated by the host. */
  readonly where: Filter;
  isSearched(path: string): boolean;
}

/** Searches file by file until the limits of the options are reached. */
export async function grepFiles(store: FileStore, grep: Grep, call: FileCall): Promise<GrepResult> {
  const { grepBytesMax, grepTimeMsMax } = store.options;
  const isLate = deadline(store, grepTimeMsMax);
  const files: FoundFile[] = [];
  let bytes = 0;
  let left = grep.limit;
  for await (const file of store.each(grep.folder, grep.where, call)) {
    if (!grep.isSearched(file.path)) continue;
    bytes += Buffer.byteLength(file.text);
    if (bytes > grepBytesMax || left === 0 || isLate()) return result(files, false);
    const { found, isComplete } = linesOf(file, grep.regex, left, isLate);
    if (found.count > 0) files.push(found);
    left -= found.lines.length;
    if (!isComplete) return result(files, false);
  }
  return result(files, true);
}

function deadline({ clock }: FileStore, timeMsMax: number): () => boolean {
  const end = clock.now() + timeMsMax / 1_000;
  return () => clock.now() > end;
}

function result(files: FoundFile[], isComplete: boolean): GrepResult {
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), isComplete };
}

/** Counts the matching lines of a file, and returns the first `limit` lines. */
function linesOf({ path, text }: StoredFile, regex: RE2JS, limit: number, isLate: () => boolean) {
  const lines: FoundLine[] = [];
  let count = 0;
  let isComplete = true;
  for (const [index, line] of linesIn(text).entries()) {
    if (isLate()) {
      isComplete = false;
      break;
    }
    const matcher = regex.matcher(line);
    if (!matcher.find()) continue;
    count += 1;
    if (lines.length < limit) lines.push({ line: index + 1, text: around(line, matcher.start()) });
    else isComplete = false;
  }
  return { found: { path: shownPath(path), count, lines }, isComplete };
}

/** Splits a text into lines without line ends. A final line end starts no further line. */
export function linesIn(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function around(line: string, at: number): string {
  if (line.length <= LINE_LENGTH_MAX) return line;
  const from = Math.max(0, Math.min(at - LINE_BEFORE_MAX, line.length - LINE_LENGTH_MAX));
  return line.slice(from, from + LINE_LENGTH_MAX).toWellFormed();
}
