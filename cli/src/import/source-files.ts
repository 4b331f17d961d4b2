import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

/** A file to import. */
export interface SourceFile {
  readonly path: string;
  /** Path below the parent of the given folder, or of the folder of the given file, with `/`. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

const FILES_MAX = 100_000;

/**
 * Returns the file at `path`. For a folder, returns its files with a matching name in all subfolders, sorted.
 * Folders with a dot before their name, `node_modules` and symbolic links are skipped. Without `pattern`,
 * folders are refused.
 * @throws {TypeError} for a path that cannot be read, or more than 100,000 files.
 */
export async function sourceFiles(path: string, pattern?: RegExp): Promise<SourceFile[]> {
  const stats = await statsOf(path);
  const root = resolve(path);
  if (stats.isFile()) return [sourceFile(root, dirname(root), stats)];
  if (!stats.isDirectory() || pattern === undefined) {
    throw new TypeError(`cannot read ${path}: it is not a file`);
  }
  const files: SourceFile[] = [];
  for await (const found of walk(root, pattern)) {
    files.push(sourceFile(found, root, await stat(found)));
    if (files.length > FILES_MAX) throw new TypeError(`${path} has more than ${FILES_MAX} files`);
  }
  if (files.length === 0) throw new TypeError(`${path} has no file with a name like ${pattern.source}`);
  return files;
}

async function statsOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw new TypeError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

function sourceFile(path: string, root: string, { size, mtimeMs }: Stats): SourceFile {
  const name = [basename(root), ...relative(root, path).split(sep)].join("/");
  return { path, name, sizeBytes: size, modifiedMs: mtimeMs };
}

async function* walk(folder: string, pattern: RegExp): AsyncGenerator<string> {
  const children = await readdir(folder, { withFileTypes: true });
  for (const child of children.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, child.name);
    if (child.isFile() && pattern.test(child.name)) yield path;
    const isSkipped = child.name.startsWith(".") || child.name === "node_modules";
    if (child.isDirectory() && !isSkipped) yield* walk(path, pattern);
  }
}
