import { posix } from "node:path";
import ts from "typescript";
import { descendants, type Finding, finding } from "../syntax.js";

const KEBAB_CASE = /^\.?[a-z0-9]+(-[a-z0-9]+)*$/;
const SUFFIX = /(\.(slow|alone|suite|test|config|examples|d))*\.[cm]?[jt]sx?$/;
const EMPTY_WORDS = new Set(["util", "utils", "helper", "helpers", "manager", "impl", "misc", "common"]);
const EMPTY_NAME = /(Utils?|Helpers?|Manager|Impl)$/;

/** Finds code file names that are not kebab-case, and generic words in their paths. */
export function checkFileName(path: string): Finding[] {
  const name = posix.basename(path).replace(SUFFIX, "");
  const words = path.replace(SUFFIX, "").split(/[/.-]/);
  const findings = words
    .filter((word) => EMPTY_WORDS.has(word))
    .map((word) => `"${word}" is a generic word: name the concept`);
  if (name === "types") findings.push("move the types to the modules that they describe");
  if (!KEBAB_CASE.test(name)) findings.push("is not kebab-case");
  return findings.map((problem) => `${path}:1 ${problem}`);
}

/** Finds declared names that end with a generic word. */
export function checkDeclaredNames(source: ts.SourceFile): Finding[] {
  return [...descendants(source)].filter(isNamedDeclaration).flatMap((node) => {
    const name = node.name?.getText() ?? "";
    return EMPTY_NAME.test(name) ? [finding(node, `${name} ends with a generic word: name the concept`)] : [];
  });
}

function isNamedDeclaration(node: ts.Node): node is ts.DeclarationStatement {
  return (
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isFunctionDeclaration(node)
  );
}
