import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { AGENT_PLUGIN_TEXTS, AGENT_PLUGINS, PLACES } from "./places.js";

interface LockedPackage {
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Lockfile {
  version: string;
  readonly packages: Record<string, LockedPackage>;
}

/** A change of the version of a repository. */
export interface VersionChange {
  readonly root: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Replaces the version of all packages, of their dependencies on each other and of the other places.
 * @throws {Error} if a place does not have the old version. Files that were changed before stay changed.
 */
export function setVersion(change: VersionChange): void {
  const { root } = change;
  const { workspaces } = readJson<{ workspaces: string[] }>(root, "package.json");
  const names = workspaces.map((folder) => readJson<{ name: string }>(root, `${folder}/package.json`).name);
  for (const folder of ["", ...workspaces]) setManifest(change, join(folder, "package.json"), names);
  setLockfile(change, ["", ...workspaces], names);
  for (const place of PLACES) replaceIn(change, place.path, [place.text]);
  for (const path of filesBelow(root, AGENT_PLUGINS))
    replaceIn(change, path, presentIn(change, path, AGENT_PLUGIN_TEXTS));
}

/** Returns the paths of the files, relative to `root`. */
export function filesBelow(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

/** Keeps the layout of the file. */
function setManifest(change: VersionChange, path: string, names: readonly string[]): void {
  const dependencies = names.map((name) => `"${name}": "{}"`);
  replaceIn(change, path, ['\n  "version": "{}"', ...presentIn(change, path, dependencies)]);
}

/** Returns the texts that the file contains with the old version. */
function presentIn({ root, from }: VersionChange, path: string, texts: readonly string[]): string[] {
  const content = readFileSync(join(root, path), "utf8");
  return texts.filter((text) => content.includes(text.replace("{}", from)));
}

function replaceIn({ root, from, to }: VersionChange, path: string, places: readonly string[]): void {
  const file = join(root, path);
  let text = readFileSync(file, "utf8");
  for (const place of places) {
    const old = place.replace("{}", from);
    if (!text.includes(old)) throw new Error(`${path} does not contain ${JSON.stringify(old)}`);
    text = text.replaceAll(old, place.replace("{}", to));
  }
  writeFileSync(file, text);
}

function setLockfile(
  { root, to }: VersionChange,
  folders: readonly string[],
  names: readonly string[],
): void {
  const lockfile = readJson<Lockfile>(root, "package-lock.json");
  lockfile.version = to;
  for (const folder of folders) {
    const locked = lockfile.packages[folder]!;
    locked.version = to;
    for (const dependencies of [locked.dependencies ?? {}, locked.devDependencies ?? {}]) {
      for (const name of names) if (name in dependencies) dependencies[name] = to;
    }
  }
  writeFileSync(join(root, "package-lock.json"), `${JSON.stringify(lockfile, null, 2)}\n`);
}

export function readJson<Value>(root: string, path: string): Value {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
