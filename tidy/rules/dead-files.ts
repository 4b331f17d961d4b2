import { posix } from "node:path";
import ts from "typescript";
import { importsOf, resolveSpecifier } from "../imports.js";
import { descendants, type Finding } from "../syntax.js";

export interface Roots {
  /** Where the product begins: exported modules, programs, scripts. */
  readonly product: readonly string[];
  /** Where tests begin: test files and the configuration of tools. */
  readonly tests: readonly string[];
}

/** Files of `src` that the product does not reach, and other code that nothing reaches. */
export function findDeadFiles(
  sources: readonly ts.SourceFile[],
  roots: Roots,
  entries: ReadonlyMap<string, string>,
): Finding[] {
  const byPath = new Map(sources.map((source) => [source.fileName, source]));
  const used = reachable(roots.product, byPath, entries);
  const usedOrTested = reachable([...roots.product, ...roots.tests], byPath, entries);
  return [...byPath.keys()].flatMap((path) => {
    const isSource = /(^|\/)src\//.test(path);
    if ((isSource ? used : usedOrTested).has(path)) return [];
    return [`${path}:1 ${isSource ? "no entry point imports it" : "nothing imports it"}`];
  });
}

function reachable(
  from: readonly string[],
  sources: ReadonlyMap<string, ts.SourceFile>,
  entries: ReadonlyMap<string, string>,
): Set<string> {
  const reached = new Set<string>();
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = sources.get(path);
    if (source === undefined || reached.has(path)) continue;
    reached.add(path);
    waiting.push(...targetsOf(source, entries));
  }
  return reached;
}

/** What a file imports, and what it names by a path in a string: workers and programs that it starts. */
function targetsOf(source: ts.SourceFile, entries: ReadonlyMap<string, string>): string[] {
  const imported = importsOf(source).map(({ specifier }) => specifier ?? "");
  const named = [...descendants(source)]
    .filter(ts.isStringLiteralLike)
    .filter(({ text }) => /^[\w./-]+\.[cm]?[jt]s$/.test(text))
    .map(({ text }) => (text.startsWith(".") ? text : `./${text}`));
  return [...imported, ...named].flatMap((specifier) => {
    const target = resolveSpecifier(specifier, source.fileName, entries);
    return target === undefined ? [] : [target, posix.join(posix.dirname(source.fileName), specifier)];
  });
}
