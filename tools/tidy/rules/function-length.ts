import ts from "typescript";
import { descendants, type Finding, finding, lineAt, lineOf, rootName } from "../syntax.js";

const FUNCTION_LINES_MAX = 70;

/** Finds functions that are too long. Comments before a function and the callback of a `describe` are exempt. */
export function checkFunctionLength(source: ts.SourceFile): Finding[] {
  return [...descendants(source)].filter(hasBody).flatMap((node) => {
    const lines = lineAt(source, node.getEnd()) - lineOf(node) + 1;
    if (lines <= FUNCTION_LINES_MAX || isDescribeCallback(node)) return [];
    return [finding(node, `function has ${lines} lines, limit ${FUNCTION_LINES_MAX}: split it`)];
  });
}

function hasBody(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

function isDescribeCallback({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && rootName(parent.expression) === "describe";
}
