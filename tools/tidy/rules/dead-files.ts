import type ts from "typescript";
import { filesNamedIn, importsOf, resolveSpecifier } from "../imports.js";
import type { Finding } from "../syntax.js";

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

function targetsOf(source: ts.SourceFile, entries: ReadonlyMap<string, string>): string[] {
  const imported = importsOf(source).flatMap(
    ({ specifier }) => resolveSpecifier(specifier ?? "", source.fileName, entries) ?? [],
  );
  return [...imported, ...filesNamedIn(source)];
}
