import type { Node } from "jsonc-parser";
import { applyEdits, insertion, type TextEdit } from "../text-edit.js";
import { insertChild, removeChild, renderValue } from "./json-layout.js";
import { followPath, nodeValue, parseJson, propertyOf, requireType } from "./json-tree.js";
import { type ConfigSyntax, type ConfigValue, type Entry, lineEnd, prefixes } from "./syntax.js";

/** JSON with comments. */
export const JSON_SYNTAX: ConfigSyntax = { find, missingParents, insert, remove, removeEmpty };

function find(text: string, entry: Entry): unknown[] {
  return locate(text, entry).map(({ value }) => nodeValue(value));
}

function missingParents(text: string, { parents }: Entry): string[][] {
  const root = parseJson(text);
  if (root === undefined) return prefixes(parents);
  const { missing } = followPath(text, root, parents);
  return prefixes(parents).slice(parents.length - missing.length);
}

function insert(text: string, entry: Entry): TextEdit[] {
  const root = parseJson(text);
  const { parents, key, value } = entry;
  if (root === undefined) {
    const start = text === "" || text.endsWith("\n") ? "" : lineEnd(text);
    return [
      insertion(text.length, `${start}${renderValue(text, nested(parents, key, value), "")}${lineEnd(text)}`),
    ];
  }
  const { node, missing } = followPath(text, root, parents);
  const [name, ...rest] = missing;
  if (name !== undefined) {
    requireType(text, node, "object", parents.slice(0, parents.length - missing.length));
    return insertMember(text, node, name, nested(rest, key, value));
  }
  requireType(text, node, key === undefined ? "array" : "object", parents);
  if (key !== undefined) return insertMember(text, node, key, value);
  return insertChild(text, node, (indent) => render(text, value, indent));
}

function insertMember(text: string, node: Node, key: string, value: ConfigValue): TextEdit[] {
  return insertChild(text, node, (indent) => `${JSON.stringify(key)}: ${render(text, value, indent)}`);
}

function render(text: string, value: ConfigValue, indent: string | undefined): string {
  return indent === undefined ? JSON.stringify(value) : renderValue(text, value, indent);
}

function nested(parents: readonly string[], key: string | undefined, value: ConfigValue): ConfigValue {
  const inner: ConfigValue = key === undefined ? [value] : { [key]: value };
  return parents.reduceRight<ConfigValue>((child, name) => ({ [name]: child }), inner);
}

function remove(text: string, entry: Entry): TextEdit[] {
  const edits: TextEdit[] = [];
  for (let current = text; ; current = applyEdits(text, edits)) {
    const [found] = locate(current, entry);
    if (found === undefined) return edits;
    edits.push(...removeChild(current, found.container, found.child));
  }
}

function removeEmpty(text: string, path: readonly string[]): TextEdit[] {
  const root = parseJson(text);
  if (root === undefined) return [];
  const { node, missing } = followPath(text, root, path);
  if (missing.length > 0 || (node.children?.length ?? 0) > 0) return [];
  return removeChild(text, node.parent!.parent!, node.parent!);
}

interface Location {
  readonly container: Node;
  /** A property or an element of the container. */
  readonly child: Node;
  readonly value: Node;
}

function locate(text: string, { parents, key, isOurs }: Entry): Location[] {
  const root = parseJson(text);
  if (root === undefined) return [];
  const { node: container, missing } = followPath(text, root, parents);
  if (missing.length > 0) return [];
  requireType(text, container, key === undefined ? "array" : "object", parents);
  if (key === undefined) {
    const ours = (container.children ?? []).filter((child) => isOurs(nodeValue(child)));
    return ours.map((child) => ({ container, child, value: child }));
  }
  const property = propertyOf(text, container, key);
  return property === undefined ? [] : [{ container, child: property, value: property.children![1]! }];
}
