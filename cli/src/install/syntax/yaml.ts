import { type Document, isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from "yaml";
import { deletion, insertion, type TextEdit } from "../text-edit.js";
import { type ConfigSyntax, type Entry, lineEnd, SyntaxProblem } from "./syntax.js";
import { valueAt, verified } from "./verified.js";

/** YAML in which an entry is a block of lines below one parent. */
export const YAML_SYNTAX: ConfigSyntax = { find, missingParents, insert, remove, removeEmpty };

const INDENT = 2;

function find(text: string, entry: Entry): unknown[] {
  const value = valueAt(parseYaml(text), pathOf(entry));
  return value === undefined ? [] : [value];
}

function missingParents(text: string, { parents }: Entry): string[][] {
  return pairOf(documentOf(text), parents[0]!) === undefined ? [[parents[0]!]] : [];
}

function insert(text: string, entry: Entry): TextEdit[] {
  return verified(parseYaml, text, insertionOf(text, entry), pathOf(entry));
}

function insertionOf(text: string, { parents, key, value }: Entry): TextEdit[] {
  const document = documentOf(text);
  const pair = pairOf(document, parents[0]!);
  const end = lineEnd(text);
  if (pair === undefined) {
    const start = text === "" || text.endsWith("\n") ? "" : end;
    return [insertion(text.length, start + block({ [parents[0]!]: { [key!]: value } }, 0, end))];
  }
  const child = pair.value;
  const first = isMap(child) && !child.flow ? child.items[0] : undefined;
  const indent = first === undefined ? INDENT : columnOf(text, startOf(first));
  const added = block({ [key!]: value }, indent, end);
  if (isMap(child) && child.flow && child.items.length === 0) {
    const [start, stop] = child.range!;
    return [{ offset: start, removed: text.slice(start, stop), inserted: `${end}${added.trimEnd()}` }];
  }
  const line = text.indexOf("\n", startOf(pair));
  return line === -1 ? [insertion(text.length, end + added)] : [insertion(line + 1, added)];
}

function remove(text: string, entry: Entry): TextEdit[] {
  if (find(text, entry).length === 0) return [];
  const parent = pairOf(documentOf(text), entry.parents[0]!)?.value;
  const pair = isMap(parent) ? itemOf(parent, entry.key!) : undefined;
  return pair === undefined ? [] : verified(parseYaml, text, [deleteBlock(text, pair)], pathOf(entry));
}

function removeEmpty(text: string, path: readonly string[]): TextEdit[] {
  const pair = pairOf(documentOf(text), path[0]!);
  const isEmpty = pair !== undefined && (valueAt(parseYaml(text), path) ?? null) === null;
  return isEmpty ? verified(parseYaml, text, [deleteBlock(text, pair)], path) : [];
}

/** Deletes the line of a key and the following lines with a larger indent. */
function deleteBlock(text: string, pair: Pair): TextEdit {
  const start = startOf(pair);
  const column = columnOf(text, start);
  let end = nextLine(text, start);
  while (end < text.length && new RegExp(`^ {${column + 1}}`).test(text.slice(end)))
    end = nextLine(text, end);
  return deletion(text, start - column, end);
}

function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

function block(value: object, indent: number, end: string): string {
  const lines = stringify(value, { indent: INDENT, lineWidth: 0 }).trimEnd().split("\n");
  return lines.map((line) => `${" ".repeat(indent)}${line}${end}`).join("");
}

function documentOf(text: string): Document.Parsed {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line = 1, col: column = 1 } = error.linePos?.[0] ?? {};
    const [message] = error.message.split(/ at line \d|\n/);
    throw new SyntaxProblem(message!, { line, column });
  }
  if (document.contents !== null && !isMap(document.contents))
    throw new SyntaxProblem("the root is not a mapping");
  return document;
}

function parseYaml(text: string): unknown {
  return documentOf(text).toJS({ maxAliasCount: 100 });
}

function pairOf(document: Document.Parsed, key: string): Pair | undefined {
  return isMap(document.contents) ? itemOf(document.contents, key) : undefined;
}

function itemOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function startOf(pair: Pair): number {
  return isScalar(pair.key) ? pair.key.range![0] : 0;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

function pathOf({ parents, key }: Entry): string[] {
  return [...parents, key!];
}
