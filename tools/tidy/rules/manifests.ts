import type { Manifest, Package } from "../repository.js";
import type { Finding } from "../syntax.js";

/** Finds packages with a version, licence, module type or engines that differ from the root manifest. */
export function checkSharedFields(root: Manifest, packages: readonly Package[]): Finding[] {
  const fields = ["version", "license", "type", "engines"] as const;
  return packages.flatMap(({ folder, manifest }) =>
    fields
      .map((field) => ({ field, own: JSON.stringify(manifest[field]), common: JSON.stringify(root[field]) }))
      .filter(({ own, common }) => own !== common)
      .map(
        ({ field, own, common }) =>
          `${folder}/package.json: ${field} is ${own}, expected ${common} as in the root`,
      ),
  );
}

/** Finds workspaces that `tsc -b` does not build, and references that are not workspaces. */
export function checkReferences(root: Manifest, references: readonly { readonly path: string }[]): Finding[] {
  const built = new Set(references.map(({ path }) => path));
  const workspaces = new Set(root.workspaces);
  return [
    ...[...workspaces]
      .filter((folder) => !built.has(folder))
      .map((folder) => `tsconfig.packages.json: reference to workspace ${folder} is missing`),
    ...[...built]
      .filter((path) => !workspaces.has(path))
      .map((path) => `tsconfig.packages.json: ${path} is not a workspace`),
  ];
}

/** Finds versions in a `version.ts` file that differ from the version of the packages. */
export function checkVersionFile(path: string, text: string, version: string): Finding[] {
  return [...text.matchAll(/"(\d+\.\d+\.\d+[^"]*)"/g)]
    .filter(([, written]) => written !== version)
    .map(([, written]) => `${path}:1 version is ${written}, expected ${version} as in the packages`);
}
