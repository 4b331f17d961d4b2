import type { CommandOf } from "./command.js";
import { MemoryToolError } from "./memory-tool-error.js";

/** Maximum line numbers in an error. */
const LINE_NUMBERS_MAX = 100;

/**
 * Replaces `old_str` in a text. Returns the new text and the line of the change, from 0.
 * @throws {MemoryToolError} unless `old_str` occurs exactly once.
 */
export function replaceIn(text: string, { path, old_str, new_str }: CommandOf<"str_replace">) {
  const at = text.indexOf(old_str);
  if (at < 0) {
    const problem = `old_str \`${old_str}\` did not appear verbatim in ${path}.`;
    throw new MemoryToolError(`No replacement was performed, ${problem}`);
  }
  if (at < text.length && text.indexOf(old_str, at + 1) >= 0) {
    const problem = `Multiple occurrences of old_str \`${old_str}\` in lines: ${linesWith(text, old_str)}.`;
    throw new MemoryToolError(`No replacement was performed. ${problem} Please ensure it is unique`);
  }
  const edited = text.slice(0, at) + new_str + text.slice(at + old_str.length);
  return { text: edited, line: lineEndsIn(text.slice(0, at)) };
}

/** Inserts a text after the line `insert_line`, without its final line end. @throws {MemoryToolError} for a line out of range. */
export function insertInto(text: string, { insert_line, insert_text }: CommandOf<"insert">): string {
  const lines = text.split("\n");
  if (!Number.isInteger(insert_line) || insert_line < 0 || insert_line > lines.length) {
    const range = `within the range of lines of the file: [0, ${lines.length}]`;
    throw new MemoryToolError(`Invalid \`insert_line\` parameter: ${insert_line}. It should be ${range}`);
  }
  return lines.toSpliced(insert_line, 0, insert_text.replace(/\n$/, "")).join("\n");
}

/** Returns the numbers of the lines where a text starts, from 1. */
function linesWith(text: string, found: string): string {
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (let at = text.indexOf(found); at >= 0; at = from > 0 ? text.indexOf(found, from) : -1) {
    if (lines.length === LINE_NUMBERS_MAX) return `${lines.join(", ")}, ...`;
    line += lineEndsIn(text.slice(from, at));
    lines.push(line);
    from = text.indexOf("\n", at) + 1;
    line += 1;
  }
  return lines.join(", ");
}

function lineEndsIn(text: string): number {
  return text.split("\n").length - 1;
}
