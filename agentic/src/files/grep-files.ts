import type { Filter } from "@membus/protocol";
import type { RE2JS } from "re2js";
import { shownPath } from "./file-path.js";
import type { FileCall, FileStore, StoredFile } from "./file-store.js";

/** Of a line so much is told, around what was found. */
const LINE_LENGTH_MAX = 500;
const LINE_BEFORE_MAX = 100;

/** A line that matches. */
export interface FoundLine {
  /** From 1. */
  readonly line: number;
  /** Of a line of more than 500 characters 500, with what was found. */
  readonly text: string;
}

/** A file of which a line matches. */
export interface FoundFile {
  readonly path: string;
  /** Lines that match. */
  readonly count: number;
  /** The first of them. */
  readonly lines: readonly FoundLine[];
}

export interface GrepResult {
  /** By path. */
  readonly files: readonly FoundFile[];
  /** False where more may match: `limit` lines were found, or the files are more than one `grep` reads. */
  readonly isComplete: boolean;
}

export interface Grep {
  readonly folder: string;
  readonly regex: RE2JS;
  readonly limit: number;
  /** What of the files in the folder may be searched, as far as the host can tell. */
  readonly where: Filter;
  isSearched(path: string): boolean;
}

/** Looks for a line that matches, file by file, until the limits of the options are reached. */
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

/** Counts all lines of a file that match, and tells the first `limit`. */
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

/** Without their ends, and without an empty one behind the last end. */
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
