import { posix } from "node:path";
import { sourceEntries, sourceOf } from "./imports.js";
import type { Manifest, Package } from "./repository.js";

/** Where the product begins: what packages export, the programs that they install, the scripts that npm runs. */
export function productRoots(root: Manifest, packages: readonly Package[]): string[] {
  const programs = packages.flatMap(({ folder, manifest }) =>
    Object.values(manifest.bin ?? {}).map((path) => posix.join(folder, path)),
  );
  const scripts = Object.values(root.scripts ?? {}).flatMap(
    (script) => script.match(/[\w./-]+\.[jt]s\b/g) ?? [],
  );
  const written = [...programs, ...scripts].map((path) => (isBuilt(path) ? sourceOf(path) : path));
  return [...sourceEntries(packages).values(), ...written];
}

/** Where code begins that runs elsewhere: the plugins that are written for others, and what a peer is measured by. */
export function foreignRoots(files: readonly string[]): string[] {
  return files.filter((path) => /\/templates\/[^/]+\/src\/plugin\.ts$/.test(path) || isForPeers(path));
}

/** Copied to where a peer is installed. */
export function isForPeers(path: string): boolean {
  return /(^|\/)peers\/.+\.mjs$/.test(path);
}

/** Files that no code imports, because a tool finds them by their name. */
export function testRoots(files: readonly string[]): string[] {
  return files.filter((path) => /(\.test\.ts|(^|\/)[\w-]+\.config\.ts)$/.test(path));
}

function isBuilt(path: string): boolean {
  return posix.dirname(path).split("/").includes("dist");
}
