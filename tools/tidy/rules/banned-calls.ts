import ts from "typescript";
import { descendants, type Finding, finding } from "../syntax.js";

const TIME = "take a Clock and call its now()";
const WAIT = "take a Clock and call its after(), or delay()";
const RANDOM = "use node:crypto";
const OUTPUT = "take a Logger";
const SETTING = "take an option";

/** Replacements by the text of the expression. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  "Date.now": TIME,
  "performance.now": TIME,
  "process.hrtime": TIME,
  setTimeout: WAIT,
  setInterval: WAIT,
  "globalThis.setTimeout": WAIT,
  "globalThis.setInterval": WAIT,
  "AbortSignal.timeout": WAIT,
  "Math.random": RANDOM,
  console: OUTPUT,
  "process.env": SETTING,
  "process.argv": SETTING,
};

/** Exceptions: clock files, command-line programs, files that run as a separate process, and LanceDB's limits. */
const ALLOWED: readonly { readonly path: RegExp; readonly replacements: readonly string[] }[] = [
  { path: /^(protocol|gateway\/inspector)\/src\/clock\.ts$/, replacements: [TIME, WAIT] },
  { path: /^(cli|tools\/bench)\/src\//, replacements: [OUTPUT, SETTING] },
  { path: /^plugins\/lancedb\/src\/lancedb\.ts$/, replacements: [SETTING] },
  { path: /^integrations\/mcp\/src\/program\/(main|flags)\.ts$/, replacements: [SETTING] },
  { path: /^conformance\/src\/(cli\/|plugin-route\/(store-forever|live-and-die))/, replacements: [SETTING] },
];

/** Finds calls in `src` that use time, timers, randomness, the console, the environment or arguments directly. */
export function checkBannedCalls(source: ts.SourceFile): Finding[] {
  if (!/(^|\/)src\//.test(source.fileName)) return [];
  const allowed = ALLOWED.filter(({ path }) => path.test(source.fileName)).flatMap(
    (entry) => entry.replacements,
  );
  return [...descendants(source)].flatMap((node) => {
    const replacement = replacementFor(node);
    if (replacement === undefined || allowed.includes(replacement)) return [];
    return [finding(node, `${node.getText().split("\n")[0]}: ${replacement}`)];
  });
}

function replacementFor(node: ts.Node): string | undefined {
  if (readsDate(node)) return TIME;
  if (ts.isImportSpecifier(node)) return importsTimer(node) ? WAIT : undefined;
  if (ts.isPropertyAccessExpression(node) || isReference(node)) {
    const text = node.getText();
    return Object.hasOwn(REPLACEMENTS, text) ? REPLACEMENTS[text] : undefined;
  }
  return undefined;
}

/** Returns true for `new Date()` and `Date()`, which read the current time if they have no arguments. */
function readsDate(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false;
  return node.expression.getText() === "Date" && (ts.isCallExpression(node) || !node.arguments?.length);
}

function importsTimer(node: ts.ImportSpecifier): boolean {
  const module = node.parent.parent.parent.moduleSpecifier.getText();
  return /timers/.test(module) && /^set(Timeout|Interval)$/.test((node.propertyName ?? node.name).text);
}

/** Returns true for an identifier that refers to a variable, but not for a property or a declared name. */
function isReference(node: ts.Node): node is ts.Identifier {
  if (!ts.isIdentifier(node) || ts.isImportSpecifier(node.parent)) return false;
  return !("name" in node.parent && node.parent.name === node);
}
