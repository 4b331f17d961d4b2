import ts from "typescript";
import { descendants, type Finding, finding, rootName } from "../syntax.js";

const TEST_FUNCTIONS = ["it", "test", "describe", "suite"];

/**
 * Finds tests with `.only`, `.skip`, `.todo` or `.fails`. Also finds conditional tests without a reason in
 * parentheses in the title, and skips in a test without a reason.
 */
export function checkTestModifiers(source: ts.SourceFile): Finding[] {
  if (!source.fileName.endsWith(".test.ts")) return [];
  return [...descendants(source)].flatMap((node) => {
    const problem = modifierProblem(node) ?? skipProblem(node);
    return problem === undefined ? [] : [finding(node, problem)];
  });
}

function modifierProblem(node: ts.Node): string | undefined {
  if (!ts.isPropertyAccessExpression(node) || !isTestFunction(node)) return undefined;
  const modifier = node.name.text;
  if (["only", "skip", "todo", "fails"].includes(modifier))
    return `.${modifier} is not allowed in committed tests`;
  if (!["skipIf", "runIf"].includes(modifier) || /\(.+\)/.test(titleOf(node))) return undefined;
  return `.${modifier} needs the reason in its title, in parentheses`;
}

/** Checks `context.skip()` and a destructured `skip()`. */
function skipProblem(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || isTestFunction(node.expression)) return undefined;
  const { expression: callee } = node;
  const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
  const reason = node.arguments.at(-1);
  if (reason !== undefined && ts.isNumericLiteral(reason)) return undefined;
  if (name !== "skip" || (reason !== undefined && ts.isStringLiteralLike(reason))) return undefined;
  return "skip() needs a reason";
}

function isTestFunction(node: ts.Expression): boolean {
  return TEST_FUNCTIONS.includes(rootName(node) ?? "");
}

/** Returns the title at the end of a chain of calls, such as `it.skipIf(x).each(y)(title, ...)`. */
function titleOf(node: ts.Expression): string {
  const { parent } = node;
  const inChain =
    (ts.isCallExpression(parent) || ts.isPropertyAccessExpression(parent)) && parent.expression === node;
  if (inChain) return titleOf(parent);
  return ts.isCallExpression(node) ? (node.arguments[0]?.getText() ?? "") : "";
}
