import ts from "typescript";
import { filesNamedIn, resolveSpecifier } from "../imports.js";
import { descendants, type Finding } from "../syntax.js";

/** Stands for every name of a module. */
const EVERYTHING = "*";

/** Exported values (types apart) that no other file imports. `roots` are imported from outside, or run. */
export function findUnusedExports(
  sources: readonly ts.SourceFile[],
  roots: readonly string[],
  entries: ReadonlyMap<string, string>,
): Finding[] {
  const used = new Set(sources.flatMap((source) => importedNames(source, entries)));
  return sources
    .filter(({ fileName }) => !roots.includes(fileName) && !used.has(`${fileName} ${EVERYTHING}`))
    .flatMap((source) =>
      exportedValues(source)
        .filter((name) => !used.has(`${source.fileName} ${name}`))
        .map((name) => `${source.fileName}:1 ${name} is exported, and no other file imports it`),
    );
}

/** `<path> <name>` of all that one file takes from others. */
function importedNames(source: ts.SourceFile, entries: ReadonlyMap<string, string>): string[] {
  const named = filesNamedIn(source).map((path) => `${path} ${EVERYTHING}`);
  const imported = [...descendants(source)].flatMap((node) => {
    const taken = namesTaken(node);
    if (taken === undefined) return [];
    const path = resolveSpecifier(taken.specifier, source.fileName, entries);
    return taken.names.map((name) => `${path} ${name}`);
  });
  return [...named, ...imported];
}

function namesTaken(node: ts.Node): { specifier: string; names: string[] } | undefined {
  if (ts.isImportDeclaration(node)) return taken(node.moduleSpecifier, importClauseNames(node.importClause));
  if (ts.isExportDeclaration(node)) return taken(node.moduleSpecifier, elementNames(node.exportClause));
  const imports = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return imports ? taken(node.arguments[0], [EVERYTHING]) : undefined;
}

function taken(specifier: ts.Node | undefined, names: string[]): ReturnType<typeof namesTaken> {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return undefined;
  return { specifier: specifier.text, names };
}

function importClauseNames(clause: ts.ImportClause | undefined): string[] {
  const named = clause?.namedBindings === undefined ? [] : elementNames(clause.namedBindings);
  return clause?.name === undefined ? named : ["default", ...named];
}

function elementNames(bindings: ts.NamedExportBindings | ts.NamedImportBindings | undefined): string[] {
  if (bindings === undefined || !("elements" in bindings)) return [EVERYTHING];
  return bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}

function exportedValues(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return reExportedValues(statement);
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    const exported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return exported ? declaredValues(statement) : [];
  });
}

function reExportedValues({ isTypeOnly, exportClause }: ts.ExportDeclaration): string[] {
  if (isTypeOnly || exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.filter((element) => !element.isTypeOnly).map(({ name }) => name.text);
}

function declaredValues(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
    const modifiers = statement.modifiers ?? [];
    const isDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
    return [isDefault ? "default" : (statement.name?.text ?? "default")];
  }
  return [];
}
