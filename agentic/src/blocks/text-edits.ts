import type { StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";

type Text = Pick<StoredBlock, "label" | "value">;

/** Appends on a new line, unless the value is empty. */
export function appended(block: Text, text: string): string {
  checkText(text, "the text to append");
  const value = textOf(block);
  return value === "" ? text : `${value}\n${text}`;
}

/** Replaces `found`, which must occur exactly once, by the literal text `by`. */
export function replaced(block: Text, found: string, by: string): string {
  checkText(found, "the text to replace");
  checkText(by, "the replacement");
  if (found === "") throw new TypeError("the text to replace must not be empty");
  const value = textOf(block);
  const at = value.indexOf(found);
  if (at === -1) throw new BlockError("no_match", block.label, "the text to replace does not occur in it");
  // Finds an overlapping second occurrence too.
  if (value.indexOf(found, at + 1) !== -1) {
    throw new BlockError(
      "ambiguous",
      block.label,
      "the text to replace occurs more than once. Include more of the text around it",
    );
  }
  return value.slice(0, at) + by + value.slice(at + found.length);
}

/** Inserts `text` as lines after the first `line` lines. -1: at the end. */
export function inserted(block: Text, line: number, text: string): string {
  checkText(text, "the text to insert");
  const value = textOf(block);
  const lines = value === "" ? [] : value.split("\n");
  if (!Number.isInteger(line) || line < -1)
    throw new TypeError(`line must be an integer of at least -1, got ${String(line)}`);
  if (line > lines.length) {
    throw new BlockError(
      "no_match",
      block.label,
      `line ${line} does not exist: it has ${lines.length} lines`,
    );
  }
  return lines.toSpliced(line === -1 ? lines.length : line, 0, text).join("\n");
}

/** @throws {BlockError} "wrong_kind" for a value that is not a text. */
function textOf({ label, value }: Text): string {
  if (typeof value === "string") return value;
  throw new BlockError("wrong_kind", label, "its value is not a text: use patch or rewrite");
}

function checkText(text: unknown, name: string): void {
  if (typeof text !== "string") throw new TypeError(`${name} must be a string`);
}
