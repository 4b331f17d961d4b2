import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { problemAt } from "./syntax.js";

/** Parses JSON with comments and trailing commas. Returns undefined for a text without a value. */
export function parseJson(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error !== undefined) throw problemAt(text, error.offset, printParseErrorCode(error.error));
  if (root !== undefined && root.type !== "object")
    throw problemAt(text, root.offset, "the root is not an object");
  return root;
}

/** Returns the property of an object. An object that has the key twice is refused. */
export function propertyOf(text: string, node: Node, key: string): Node | undefined {
  const properties = (node.children ?? []).filter(({ children }) => children?.[0]?.value === key);
  if (properties.length > 1) throw problemAt(text, properties[1]!.offset, `the key "${key}" appears twice`);
  return properties[0];
}

/** Follows a path as far as it exists. `missing` are the keys beyond the last node. */
export function followPath(
  text: string,
  root: Node,
  path: readonly string[],
): { readonly node: Node; readonly missing: readonly string[] } {
  let node = root;
  for (const [index, key] of path.entries()) {
    requireType(text, node, "object", path.slice(0, index));
    const value = propertyOf(text, node, key)?.children?.[1];
    if (value === undefined) return { node, missing: path.slice(index) };
    node = value;
  }
  return { node, missing: [] };
}

export function requireType(
  text: string,
  node: Node,
  type: "object" | "array",
  path: readonly string[],
): void {
  if (node.type === type) return;
  const name = path.length === 0 ? "the root" : `"${path.join(".")}"`;
  throw problemAt(text, node.offset, `${name} is not ${type === "object" ? "an object" : "an array"}`);
}

export function nodeValue(node: Node): unknown {
  return getNodeValue(node) as unknown;
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Returns the offset of the comma that is the next token, or undefined. */
export function nextComma(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const start = scanner.getTokenOffset();
  return text[start] === "," ? start : undefined;
}
