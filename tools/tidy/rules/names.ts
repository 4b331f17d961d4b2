import { posix } from "node:path";
import ts from "typescript";
import { descendants, type Finding, finding } from "../syntax.js";

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const SUFFIX = /(\.(slow|alone|suite|test|config|examples|d))*\.[cm]?[jt]sx?$/;
const EMPTY_WORDS = new Set(["util", "utils", "helper", "helpers", "manager", "impl", "misc", "common"]);
const EMPTY_NAME = /(Utils?|Helpers?|Manager|Impl)$/;

/** A code file's name that is not kebab-case, or a word in its path that says nothing about what is inside. */
export function checkFileName(path: string): Finding[] {
  const name = posix.basename(path).replace(SUFFIX, "");
  const words = path.replace(SUFFIX, "").split(/[/.-]/);
  const findings = words.filter((word) => EMPTY_WORDS.has(word)).map((word) => `"${word}" names no concept`);
  if (name === "types") findings.push("types belong beside what they describe");
  if (!KEBAB_CASE.test(name)) findings.push("is not kebab-case");
  return findings.map((problem) => `${path}:1 ${problem}`);
}

/** Declared names that end in a word that says nothing. */
export function checkDeclaredNames(source: ts.SourceFile): Finding[] {
  return [...descendants(source)].filter(isNamedDeclaration).flatMap((node) => {
    const name = node.name?.getText() ?? "";
    return EMPTY_NAME.test(name) ? [finding(node, `${name}: name the concept`)] : [];
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
