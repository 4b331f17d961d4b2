import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "./root.js";
import { parseSource } from "./syntax.js";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly type?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Package {
  /** Path relative to the root of the repository, such as `plugins/kit`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

const SKIPPED_FOLDERS = new Set(["node_modules", "dist", ".git", ".membus", "coverage"]);

/** Paths of all files, relative to the root, with `/`. */
export const FILES: readonly string[] = filesBelow("");

/** Parsed code of all packages, tests and scripts, and of this folder. */
export const SOURCES = FILES.filter((path) => /\.[cm]?[jt]sx?$/.test(path)).map((path) =>
  parseSource(path, readText(path)),
);

export const ROOT_MANIFEST: Manifest = readJson("package.json");

export const PACKAGES: readonly Package[] = (ROOT_MANIFEST.workspaces ?? []).map((folder) => ({
  folder,
  manifest: readJson(`${folder}/package.json`),
}));

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

export function readJson<Value>(path: string): Value {
  return JSON.parse(readText(path));
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries
    .filter(({ name }) => !SKIPPED_FOLDERS.has(name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}
