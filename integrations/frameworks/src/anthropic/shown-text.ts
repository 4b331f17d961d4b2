import type { FileSize } from "@membus/agentic/files";
import type { CommandOf } from "./command.js";
import { MemoryToolError } from "./memory-tool-error.js";

const LINES_MAX = 999_999;
/** Maximum rows of one listing. */
const ROWS_MAX = 1_000;
const UNITS = ["B", "K", "M", "G"];

/** Returns a text with line numbers, or its lines in `view_range`. An end of -1 means the last line. */
export function shownFile(text: string, { path, view_range }: CommandOf<"view">): string {
  const lines = text.split("\n");
  if (lines.length > LINES_MAX) {
    const counts = `(${lines.length}). Maximum is ${LINES_MAX.toLocaleString("en-US")} lines.`;
    throw new MemoryToolError(`File ${path} has too many lines ${counts}`);
  }
  const [first = 1, last = -1] = view_range ?? [];
  const from = Math.max(1, first) - 1;
  const shown = lines.slice(from, last === -1 ? lines.length : last);
  return `Here's the content of ${path} with line numbers:\n${numbered(shown, from)}`;
}

/** Returns the changed text, from two lines before the line of the change to two lines after it. */
export function shownChange(text: string, line: number): string {
  const from = Math.max(0, line - 2);
  const lines = numbered(text.split("\n").slice(from, line + 3), from);
  return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${lines}`;
}

/**
 * Returns the listing of a directory, two levels deep. The paths of `files` are relative to it. The size of a directory is the sum of
 * its files.
 */
export function shownDirectory(path: string, files: readonly FileSize[]): string {
  const rows = rowsOf(files, 2);
  const shown = rows.slice(0, ROWS_MAX).map((row) => rowText(row.bytes, joined(path, row.path)));
  const left = rows.length > ROWS_MAX ? [`(${rows.length - ROWS_MAX} more: view a directory of these)`] : [];
  const title = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
  return [title, rowText(sizeOf(files), path), ...shown, ...left].join("\n");
}

function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, at) => `${String(from + at + 1).padStart(6)}\t${line}`).join("\n");
}

/** Returns rows sorted by name, each directory before its files. */
function rowsOf(files: readonly FileSize[], depth: number, parent = ""): FileSize[] {
  if (depth === 0) return [];
  const byName = new Map<string, FileSize[]>();
  for (const file of files) {
    const name = file.path.split("/", 1)[0]!;
    const own = byName.get(name);
    if (own === undefined) byName.set(name, [file]);
    else own.push(file);
  }
  const names = [...byName.keys()].filter((name) => !name.startsWith(".") && name !== "node_modules");
  return names.sort().flatMap((name) => {
    const path = `${parent}${name}`;
    const own = byName.get(name)!;
    const inside = own.filter((file) => file.path !== name);
    const row = own.filter((file) => file.path === name).map(({ bytes }) => ({ path, bytes }));
    if (inside.length === 0) return row;
    const below = inside.map((file) => ({ ...file, path: file.path.slice(name.length + 1) }));
    return [...row, { path: `${path}/`, bytes: sizeOf(inside) }, ...rowsOf(below, depth - 1, `${path}/`)];
  });
}

function sizeOf(files: readonly FileSize[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function joined(directory: string, path: string): string {
  return `${directory.replace(/(?<!\/)\/+$/, "")}/${path}`;
}

function rowText(bytes: number, path: string): string {
  return `${shownSize(bytes)}\t${path}`;
}

function shownSize(bytes: number): string {
  const unit = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const size = bytes / 1024 ** unit;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${UNITS[unit]}`;
}
