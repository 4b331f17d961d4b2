import ts from "typescript";
import { descendants, type Finding, finding } from "../syntax.js";

/** Statements that let a promise go: nobody learns when it fails. Biome's own rule does not see those of Node. */
export function checkAwaitedPromises(source: ts.SourceFile, checker: ts.TypeChecker): Finding[] {
  return [...descendants(source)].filter(ts.isExpressionStatement).flatMap(({ expression }) => {
    if (isAssignment(expression) || handlesRejection(expression)) return [];
    if (!isPromise(checker.getTypeAtLocation(expression), checker)) return [];
    return [finding(expression, "a promise: await it, return it, handle its rejection, or say void")];
  });
}

function isAssignment(node: ts.Expression): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** `p.catch(handle)`, `p.then(use, handle)`. */
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
