import ts from "typescript";
import { descendants, type Finding, finding } from "../syntax.js";

/**
 * Finds statements that ignore a promise, because its rejection would be unhandled. Biome's rule does not
 * detect the promises of Node.js functions.
 */
export function checkAwaitedPromises(source: ts.SourceFile, checker: ts.TypeChecker): Finding[] {
  return [...descendants(source)].filter(ts.isExpressionStatement).flatMap(({ expression }) => {
    if (isAssignment(expression) || handlesRejection(expression)) return [];
    if (!isPromise(checker.getTypeAtLocation(expression), checker)) return [];
    return [
      finding(
        expression,
        "unhandled promise: await it, return it, handle its rejection, or mark it with void",
      ),
    ];
  });
}

function isAssignment(node: ts.Expression): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** Returns true for `p.catch(handle)` and `p.then(use, handle)`. */
function handlesRejection(node: ts.Expression): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { text } = node.expression.name;
  return (text === "catch" && node.arguments.length > 0) || (text === "then" && node.arguments.length > 1);
}

function isPromise(type: ts.Type, checker: ts.TypeChecker): boolean {
  if (type.isUnion()) return type.types.some((member) => isPromise(member, checker));
  const then = checker.getPropertyOfType(type, "then");
  return then !== undefined && checker.getTypeOfSymbol(then).getCallSignatures().length > 0;
}
