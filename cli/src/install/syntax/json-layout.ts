import type { Node } from "jsonc-parser";
import { deletion, insertion, type TextEdit } from "../text-edit.js";
import { endOf, nextComma } from "./json-tree.js";
import { type ConfigValue, lineEnd } from "./syntax.js";

const DEFAULT_INDENT = "  ";

/** Renders a value over several lines as the rest of the text does. The first line has no indent. */
export function renderValue(text: string, value: ConfigValue, indent: string): string {
  const rendered = JSON.stringify(value, undefined, indentUnit(text));
  return rendered.replaceAll("\n", lineEnd(text) + indent);
}

/**
 * Adds a child at the end of an object or an array. Comments keep their place. `render` returns the text of
 * the child for an indent, or for one line.
 */
export function insertChild(
  text: string,
  node: Node,
  render: (indent: string | undefined) => string,
): TextEdit[] {
  const close = endOf(node) - 1;
  const end = node.offset + 1 + text.slice(node.offset + 1, close).trimEnd().length;
  const last = node.children?.at(-1);
  const isOneLine = !text.slice(node.offset, close).includes("\n");
  const comma =
    last === undefined || nextComma(text, endOf(last)) !== undefined ? [] : [insertion(endOf(last), ",")];
  if (isOneLine && last !== undefined) return [insertion(end, ` ${render(undefined)}`), ...comma];
  const outer = indentAt(text, node.offset);
  const indent =
    last === undefined || !startsLine(text, last.offset)
      ? outer + indentUnit(text)
      : indentAt(text, last.offset);
  const child = `${lineEnd(text)}${indent}${render(indent)}`;
  return [insertion(end, isOneLine ? child + lineEnd(text) + outer : child), ...comma];
}

/** Removes a child of an object or an array, and the comma that it no longer needs. */
export function removeChild(text: string, node: Node, child: Node): TextEdit[] {
  const comma = nextComma(text, endOf(child));
  const end = comma === undefined ? endOf(child) : comma + 1;
  const previous = node.children?.[node.children.indexOf(child) - 1];
  const edits = [
    isWholeLine(text, child.offset, end)
      ? removeLines(text, child.offset, end)
      : removeInline(text, child.offset, end),
  ];
  if (comma === undefined && previous !== undefined) {
    const before = nextComma(text, endOf(previous))!;
    edits.push(deletion(text, before, before + 1));
  }
  return edits;
}

function removeLines(text: string, start: number, end: number): TextEdit {
  return deletion(text, text.slice(0, start).trimEnd().length, end);
}

function removeInline(text: string, start: number, end: number): TextEdit {
  const spaces = /^[ \t]*/.exec(text.slice(end))![0].length;
  return deletion(text, start, end + spaces);
}

function isWholeLine(text: string, start: number, end: number): boolean {
  return startsLine(text, start) && /^[ \t]*(\r?\n|$)/.test(text.slice(end));
}

function startsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))![0];
}

/** Returns the indent of the first indented line. */
function indentUnit(text: string): string {
  return /^([ \t]+)["}{\]]/m.exec(text)?.[1] ?? DEFAULT_INDENT;
}
