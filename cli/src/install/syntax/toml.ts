import { parse, stringify, TomlError } from "smol-toml";
import { applyEdits, deletion, insertion, type TextEdit } from "../text-edit.js";
import { type ConfigSyntax, type Entry, lineEnd, SyntaxProblem } from "./syntax.js";
import { valueAt, verified } from "./verified.js";

/** TOML in which an entry is a table with a header. */
export const TOML_SYNTAX: ConfigSyntax = {
  find,
  // The header of a table creates its parents.
  missingParents: () => [],
  insert,
  remove,
  removeEmpty: () => [],
};

function find(text: string, entry: Entry): unknown[] {
  const value = valueAt(parseToml(text), pathOf(entry));
  return value === undefined ? [] : [value];
}

function insert(text: string, entry: Entry): TextEdit[] {
  const end = lineEnd(text);
  const start = text === "" ? "" : text.endsWith("\n") ? end : end + end;
  const lines = [`[${pathOf(entry).join(".")}]`, ...stringify(entry.value).trim().split("\n")];
  const edits = [insertion(text.length, start + lines.map((line) => line + end).join(""))];
  return verified(parseToml, text, edits, pathOf(entry));
}

/** Removes the table and its subtables, each from its header to the next header. */
function remove(text: string, entry: Entry): TextEdit[] {
  if (find(text, entry).length === 0) return [];
  const edits: TextEdit[] = [];
  let current = text;
  while (edits.length === 0 || isPresent(current, entry)) {
    const range = tableRange(current, pathOf(entry));
    if (range === undefined) break;
    const edit = deletion(current, range[0], range[1]);
    edits.push(edit);
    current = applyEdits(current, [edit]);
  }
  return verified(parseToml, text, edits, pathOf(entry));
}

/** `verified` reports a text that the edits have damaged. */
function isPresent(text: string, entry: Entry): boolean {
  try {
    return find(text, entry).length > 0;
  } catch {
    return false;
  }
}

function tableRange(text: string, path: readonly string[]): [number, number] | undefined {
  const name = path.join(".");
  const headers = headersOf(text);
  const index = headers.findIndex((header) => header.name === name || header.name.startsWith(`${name}.`));
  if (index === -1) return undefined;
  const start = text.slice(0, headers[index]!.offset).replace(/\n\r?\n$/, "\n").length;
  return [start, endOfTable(text, headers[index + 1]?.offset ?? text.length)];
}

/** Returns the offset and the name of each line that looks like the header of a table. */
function headersOf(text: string): { readonly offset: number; readonly name: string }[] {
  const headers = [];
  let offset = 0;
  for (const line of text.split("\n")) {
    const start = line.trimStart();
    const name = start.slice(start.startsWith("[[") ? 2 : 1, start.indexOf("]"));
    if (start.startsWith("[")) headers.push({ offset, name: name.replaceAll(/[\s"']/g, "") });
    offset += line.length + 1;
  }
  return headers;
}

/** Returns the end of a table without the comments and blank lines before the next header. */
function endOfTable(text: string, next: number): number {
  const lines = text.slice(0, next).split("\n");
  const rest = lines.pop()!;
  while (/^\s*(#.*)?$/.test(lines.at(-1)!)) lines.pop();
  return rest !== "" ? next : lines.join("\n").length + 1;
}

function parseToml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [message] = error.message.split("\n");
    throw new SyntaxProblem(message!, error);
  }
}

function pathOf({ parents, key }: Entry): string[] {
  return [...parents, key!];
}
