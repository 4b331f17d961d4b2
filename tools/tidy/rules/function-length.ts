import ts from "typescript";
import { descendants, type Finding, finding, lineAt, lineOf, rootName } from "../syntax.js";

const FUNCTION_LINES_MAX = 70;

/** Functions that are too long, comments before them apart. The callback of a `describe` may be longer. */
export function checkFunctionLength(source: ts.SourceFile): Finding[] {
  return [...descendants(source)].filter(hasBody).flatMap((node) => {
    const lines = lineAt(source, node.getEnd()) - lineOf(node) + 1;
    if (lines <= FUNCTION_LINES_MAX || isDescribeCallback(node)) return [];
    return [finding(node, `function of ${lines} lines of ${FUNCTION_LINES_MAX}: split it`)];
  });
}

function hasBody(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

function isDescribeCallback({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && rootName(parent.expression) === "describe";
}
