import { isBuiltin } from "node:module";
import { posix } from "node:path";
import ts from "typescript";
import type { Package } from "./repository.js";
import { descendants } from "./syntax.js";

export interface ImportReference {
  readonly node: ts.Node;
  /** undefined when it is computed at run time. */
  readonly specifier: string | undefined;
}

/** Every import of a file: static, re-exported, of a type, dynamic and by `require`. */
export function importsOf(source: ts.SourceFile): ImportReference[] {
  return [...descendants(source)].flatMap((node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return [];
    return [{ node, specifier: ts.isStringLiteralLike(specifier) ? specifier.text : undefined }];
  });
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isCallExpression(node) && importsModule(node.expression)) return node.arguments[0];
  return undefined;
}

function importsModule(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ["require", "require.resolve", "import.meta.resolve"].includes(callee.getText());
}

/** Files that a string names, imports apart, relative to the file it stands in: programs and workers that are started. */
export function filesNamedIn(source: ts.SourceFile): string[] {
  const nodes = [...descendants(source)];
  const imported = new Set(nodes.map(specifierOf));
  return nodes
    .filter(ts.isStringLiteralLike)
    .filter((literal) => !imported.has(literal) && /^[\w./-]+\.[cm]?[jt]s$/.test(literal.text))
    .map(({ text }) => posix.join(posix.dirname(source.fileName), text))
    .flatMap((path) => [path, sourceOf(path)]);
}

/** `@a/b` of `@a/b/c`; undefined for a path and for a module of Node. */
export function packageNameOf(specifier: string): string | undefined {
  if (specifier.startsWith(".") || specifier.startsWith("/") || isBuiltin(specifier)) return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** What each specifier of our own packages stands for: `@membus/bus` -> `bus/src/index.ts`. */
export function sourceEntries(packages: readonly Package[]): Map<string, string> {
  return new Map(
    packages.flatMap(({ folder, manifest }) =>
      Object.entries(manifest.exports ?? {}).map(([subpath, targets]) => [
        posix.join(manifest.name, subpath),
        posix.join(folder, targets["membus-source"] ?? ""),
      ]),
    ),
  );
}

/** The path of the source file that `specifier` may mean in the file `from`, whether it exists or not. */
export function resolveSpecifier(
  specifier: string,
  from: string,
  entries: ReadonlyMap<string, string>,
): string | undefined {
  if (!specifier.startsWith(".")) return entries.get(specifier);
  return sourceOf(posix.join(posix.dirname(from), specifier));
}

/** What stands as `.js` in code is `.ts` in the repository, and `dist/main.js` is built from `src/main.ts`. */
export function sourceOf(path: string): string {
  return path.replace(/\.([cm]?)js$/, ".$1ts").replace(/(^|\/)dist\//, "$1src/");
}
