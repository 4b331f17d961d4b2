import type ts from "typescript";
import { importsOf, packageNameOf } from "../imports.js";
import type { Manifest, Package } from "../repository.js";
import { type Finding, finding } from "../syntax.js";

/**
 * Imported packages that are not declared: by the own package.json for `src`, anywhere in the workspace for tests
 * and scripts.
 */
export function checkDeclaredImports(
  source: ts.SourceFile,
  packages: readonly Package[],
  root: Manifest,
): Finding[] {
  const home = packages.find(({ folder }) => source.fileName.startsWith(`${folder}/src/`));
  const manifests =
    home === undefined ? [root, ...packages.map(({ manifest }) => manifest)] : [home.manifest];
  const declared = new Set(manifests.flatMap(importableNames));
  return importsOf(source).flatMap(({ node, specifier }) => {
    const name = specifier === undefined ? undefined : packageNameOf(specifier);
    return name === undefined || declared.has(name) ? [] : [finding(node, `${name} is not declared`)];
  });
}

/** Dependencies of one package that none of its `src` files imports. */
export function checkUsedDependencies(home: Package, sources: readonly ts.SourceFile[]): Finding[] {
  const own = sources.filter(({ fileName }) => fileName.startsWith(`${home.folder}/src/`));
  const imported = new Set(own.flatMap(importsOf).map(({ specifier }) => packageNameOf(specifier ?? ".")));
  return Object.keys(home.manifest.dependencies ?? {})
    .filter((name) => !imported.has(name))
    .map((name) => `${home.folder}/package.json declares ${name}, which its src does not import`);
}

function importableNames(manifest: Manifest): string[] {
  const { name, dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  return [
    name,
    ...Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies }),
  ];
}
