import ts from "typescript";
import { descendants, type Finding, finding } from "../syntax.js";
import { type Pattern, problemOf } from "./pattern-time.js";

/** Their patterns match only texts of this repository. */
const OWN_TEXTS = /^(conformance\/mutants|tools)\//;

/**
 * Finds regular expressions of `src` that can take more time than in proportion to the text. The argument of
 * `new RegExp` is read from the same file. Parts that other code computes count as the digit 1.
 */
export function checkLinearPatterns(source: ts.SourceFile): Finding[] {
  if (!/(^|\/)src\//.test(source.fileName) || OWN_TEXTS.test(source.fileName)) return [];
  return [...descendants(source)].flatMap((node) => {
    const pattern = patternOf(node);
    const problem = pattern && problemOf(pattern);
    return problem === undefined ? [] : [finding(node, `pattern with quadratic time: ${problem}`)];
  });
}

function patternOf(node: ts.Node): Pattern | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf("/");
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  if (!ts.isNewExpression(node) || node.expression.getText() !== "RegExp") return undefined;
  const [source, flags] = node.arguments ?? [];
  return source && { source: textOf(source), flags: flags && ts.isStringLiteral(flags) ? flags.text : "" };
}

function textOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isBinaryExpression(node)) return textOf(node.left) + textOf(node.right);
  if (ts.isIdentifier(node)) return textOfConstant(node);
  if (!ts.isTemplateExpression(node)) return "1";
  const spans = node.templateSpans.map(({ expression, literal }) => textOf(expression) + literal.text);
  return node.head.text + spans.join("");
}

/** Returns the text of a constant at the top level of the same file. */
function textOfConstant(name: ts.Identifier): string {
  const declarations = name
    .getSourceFile()
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  const value = declarations.find((one) => one.name.getText() === name.text)?.initializer;
  return value === undefined || value === name ? "1" : textOf(value);
}
