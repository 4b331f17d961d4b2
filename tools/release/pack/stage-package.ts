import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../set-version.js";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const NAME = "membus";
/** Files that npm packs without being asked. */
const IMPLIED = ["package.json", "README.md", "LICENSE"];

/**
 * Writes the package `membus` into an empty folder, with all other public packages inside. npm then packs the folder.
 * The result can be installed although no registry has the other packages.
 */
export function stagePackage(root: string, folder: string): void {
  const { workspaces = [] } = readJson<Manifest>(root, "package.json");
  const packages = workspaces
    .map((path) => ({ path, manifest: readJson<Manifest>(root, `${path}/package.json`) }))
    .filter(({ manifest }) => !manifest.private);
  for (const { path, manifest } of packages) {
    const target = manifest.name === NAME ? folder : join(folder, "node_modules", manifest.name);
    copyFiles(join(root, path), target, [...IMPLIED, ...(manifest.files ?? [])]);
  }
  const manifests = packages.map(({ manifest }) => manifest);
  const bundled = {
    ...manifests.find(({ name }) => name === NAME),
    dependencies: allOf("dependencies", manifests),
    optionalDependencies: allOf("optionalDependencies", manifests),
    bundleDependencies: manifests.map(({ name }) => name).filter((name) => name !== NAME),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(bundled, null, 2)}\n`);
}

/** Copies files and folders that exist. Entries of `files` that begin with `!` only exclude, which npm does later. */
function copyFiles(source: string, target: string, files: readonly string[]): void {
  mkdirSync(target, { recursive: true });
  for (const file of files) {
    if (existsSync(join(source, file))) cpSync(join(source, file), join(target, file), { recursive: true });
  }
}

/**
 * Returns the dependencies of all packages. npm does not install dependencies of packages inside another package,
 * so the outer package names them.
 */
function allOf(
  field: "dependencies" | "optionalDependencies",
  manifests: readonly Manifest[],
): Record<string, string> {
  const found = manifests.flatMap((manifest) => Object.entries(manifest[field] ?? {}));
  return Object.fromEntries(found.sort(([a], [b]) => a.localeCompare(b)));
}
