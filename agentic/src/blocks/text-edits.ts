import type { StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";

type Text = Pick<StoredBlock, "label" | "value">;

/** On a line of its own, unless there is nothing yet. */
export function appended(block: Text, text: string): string {
  checkText(text, "the text to append");
  const value = textOf(block);
  return value === "" ? text : `${value}\n${text}`;
}

/** With `found`, which must be there exactly once, replaced as it is written. */
export function replaced(block: Text, found: string, by: string): string {
  checkText(found, "the text to replace");
  checkText(by, "the text in its place");
  if (found === "") throw new TypeError("the text to replace is empty");
  const value = textOf(block);
  const at = value.indexOf(found);
  if (at === -1) throw new BlockError("no_match", block.label, "the text to replace is not in it");
  // Also where the second overlaps the first.
  if (value.indexOf(found, at + 1) !== -1) {
    throw new BlockError(
      "ambiguous",
      block.label,
      "the text to replace is in it more than once: say more of it",
    );
  }
  return value.slice(0, at) + by + value.slice(at + found.length);
}

/** `text` as lines behind the first `line` lines; -1: at the end. */
export function inserted(block: Text, line: number, text: string): string {
  checkText(text, "the text to insert");
  const value = textOf(block);
  const lines = value === "" ? [] : value.split("\n");
  if (!Number.isInteger(line) || line < -1)
    throw new TypeError(`line must be an integer from -1, got ${String(line)}`);
  if (line > lines.length) {
    throw new BlockError("no_match", block.label, `it has ${lines.length} lines: there is no line ${line}`);
  }
  return lines.toSpliced(line === -1 ? lines.length : line, 0, text).join("\n");
}

/** @throws {BlockError} "wrong_kind" for a value that is no text. */
function textOf({ label, value }: Text): string {
  if (typeof value === "string") return value;
  throw new BlockError("wrong_kind", label, "its value is no text: patch it, or write it anew");
}

function checkText(text: unknown, name: string): void {
  if (typeof text !== "string") throw new TypeError(`${name} is no text`);
}
