import type { Manifest, Package } from "../repository.js";
import type { Finding } from "../syntax.js";

/** What every package says as the root does: version, licence, module type and engines. */
export function checkSharedFields(root: Manifest, packages: readonly Package[]): Finding[] {
  const fields = ["version", "license", "type", "engines"] as const;
  return packages.flatMap(({ folder, manifest }) =>
    fields
      .map((field) => ({ field, own: JSON.stringify(manifest[field]), common: JSON.stringify(root[field]) }))
      .filter(({ own, common }) => own !== common)
      .map(({ field, own, common }) => `${folder}/package.json: ${field} is ${own}, the root's is ${common}`),
  );
}

/** Workspaces that `tsc -b` does not build, and references that are no workspace. */
export function checkReferences(root: Manifest, references: readonly { readonly path: string }[]): Finding[] {
  const built = new Set(references.map(({ path }) => path));
  const workspaces = new Set(root.workspaces);
  return [
    ...[...workspaces]
      .filter((folder) => !built.has(folder))
      .map((folder) => `tsconfig.json leaves out ${folder}`),
    ...[...built]
      .filter((path) => !workspaces.has(path))
      .map((path) => `tsconfig.json: ${path} is no workspace`),
  ];
}

/** A version written into a `version.ts` that is not the packages' own. */
export function checkVersionFile(path: string, text: string, version: string): Finding[] {
  return [...text.matchAll(/"(\d+\.\d+\.\d+[^"]*)"/g)]
    .filter(([, written]) => written !== version)
    .map(([, written]) => `${path}:1 says ${written}, the packages are ${version}`);
}
