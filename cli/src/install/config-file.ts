import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
} from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative, sep } from "node:path";

const SIZE_BYTES_MAX = 16 * 1024 * 1024;
/** Configurations may hold secrets of other servers. */
const NEW_FILE_MODE = 0o600;
const MODE_BITS = 0o7777;
/** Follows the name of the file in the name of its new version. */
const TEMPORARY_ENDING = /^[0-9a-f]{12}\.tmp$/;

/** A configuration file as it is on disk. */
export interface ConfigFile {
  /** Path that the agent reads. */
  readonly path: string;
  /** The same without symbolic links. */
  readonly realPath: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
  /** Paths of new versions that an interrupted change has left beside the file. */
  readonly temporaries: readonly string[];
}

/**
 * Reads a configuration file.
 * @param roots folders that the file must be in after links are resolved.
 * @throws {Error} for a file outside of the roots, a dangling link, a special file, more than 16 MiB, or text
 * that is not UTF-8.
 */
export async function readConfigFile(path: string, roots: readonly string[]): Promise<ConfigFile> {
  const realPath = await resolveLinks(path);
  await checkInside(path, realPath, roots);
  const temporaries = await findTemporaries(realPath);
  const found = await statOrUndefined(realPath);
  if (found === undefined) return { path, realPath, text: undefined, temporaries };
  if (!found.isFile()) throw new Error(`${path} is not a file`);
  if (found.size > SIZE_BYTES_MAX)
    throw new Error(`${path} has ${found.size} bytes, at most 16 MiB are read`);
  return { path, realPath, text: decode(path, await readFile(realPath)), temporaries };
}

/**
 * Replaces the text of a file in one step, and keeps its mode and owner. Creates missing folders.
 * @throws {Error} if the file has changed since it was read.
 */
export async function writeConfigFile(
  { path, realPath, text: expected }: ConfigFile,
  text: string,
): Promise<void> {
  await mkdir(dirname(realPath), { recursive: true });
  const previous = await statOrUndefined(realPath);
  const temporary = join(dirname(realPath), `.${basename(realPath)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeNew(temporary, text, previous);
    await checkUnchanged(path, realPath, expected);
    await rename(temporary, realPath);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Returns the folders that a change of the file will create. */
export async function missingFolders({ realPath }: ConfigFile): Promise<string[]> {
  const missing: string[] = [];
  let folder = dirname(realPath);
  while (dirname(folder) !== folder && (await statOrUndefined(folder)) === undefined) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  return missing;
}

export async function deleteTemporaries({ temporaries }: ConfigFile): Promise<void> {
  for (const path of temporaries) await rm(path, { force: true });
}

/** Deletes a file that membus created, and the files that Python has compiled from it. */
export async function deleteConfigFile({ path, realPath, text }: ConfigFile): Promise<void> {
  await checkUnchanged(path, realPath, text);
  // Before the file, so that a removal that is interrupted here can be repeated.
  if (extname(realPath) === ".py")
    await rm(join(dirname(realPath), "__pycache__"), { recursive: true, force: true });
  await rm(realPath);
}

/** Deletes the empty folders among these. */
export async function deleteEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) await rmdir(folder).catch(() => {});
}

async function resolveLinks(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined) {
    return await realpath(path).catch(() => {
      throw new Error(`${path} is a link to a file that does not exist`);
    });
  }
  const parent = dirname(path);
  return parent === path ? path : join(await resolveLinks(parent), basename(path));
}

async function checkInside(path: string, realPath: string, roots: readonly string[]): Promise<void> {
  const realRoots = await Promise.all(roots.map(resolveLinks));
  if (realRoots.some((root) => isInside(root, realPath))) return;
  throw new Error(
    `${path} leads to ${realPath}, outside of ${roots.join(" and ")}. Replace the link, or edit that file`,
  );
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way.split(sep)[0] !== ".." && !isAbsolute(way);
}

async function findTemporaries(realPath: string): Promise<string[]> {
  const folder = dirname(realPath);
  const names = await readdir(folder).catch(() => []);
  const prefix = `.${basename(realPath)}.`;
  return names
    .filter((name) => name.startsWith(prefix) && TEMPORARY_ENDING.test(name.slice(prefix.length)))
    .map((name) => join(folder, name));
}

async function writeNew(path: string, text: string, previous: Stats | undefined): Promise<void> {
  const file = await open(path, "wx", NEW_FILE_MODE);
  try {
    if (previous !== undefined && previous.uid !== process.getuid?.())
      await file.chown(previous.uid, previous.gid);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  // The mode of `open` is reduced by the mask of the process.
  if (previous !== undefined) await chmod(path, previous.mode & MODE_BITS);
}

async function checkUnchanged(path: string, realPath: string, expected: string | undefined): Promise<void> {
  const found = await readFile(realPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found?.toString() !== expected)
    throw new Error(`another program has changed ${path}: nothing was written. Run the command again`);
}

async function statOrUndefined(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error(`${path} is not UTF-8 text`, { cause: error });
  }
}
