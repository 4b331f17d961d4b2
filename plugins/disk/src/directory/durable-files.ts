import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { MemoryError } from "@membus/protocol";

/** Access modes that let only the owner read memories. */
const OWNER_ONLY = { directory: 0o700, file: 0o600 };

/**
 * Creates the directory and its missing parents, accessible only by the owner, and makes them durable.
 * @throws {MemoryError} `runtime_error` naming a file in its place.
 */
export async function createDirectory(directory: string): Promise<void> {
  const topmost = await makeDirectory(directory);
  if (topmost === undefined) return;
  const shortest = resolve(topmost).length;
  for (let created = resolve(directory); created.length >= shortest; created = dirname(created)) {
    await syncDirectory(dirname(created));
  }
}

async function makeDirectory(directory: string): Promise<string | undefined> {
  try {
    return await mkdir(directory, { recursive: true, mode: OWNER_ONLY.directory });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw NO_FOLDER.has(code) ? noFolder(directory, code) : error;
  }
}

/** Error codes for a file, or a link that leads nowhere, in the place of a folder. */
const NO_FOLDER = new Set(["EEXIST", "ENOTDIR", "ENOENT"]);

function noFolder(path: string, reason: string): MemoryError {
  const message = `${path} is not a folder. Move it away, or name another folder`;
  return new MemoryError("runtime_error", message, { reason, path });
}

/** Makes added and removed names in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open directories, and its file system journals names itself.
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Replaces a file atomically: after a crash it has the old or the new contents. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeSynced(`${path}.new`, text);
  await rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

/**
 * Returns the text of a file, or undefined if the file does not exist.
 * @throws {MemoryError} `runtime_error` naming a folder in its place, or a file in the place of its folder.
 */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") throw noFolder(dirname(path), code);
    throw code === "EISDIR" ? noFile(path) : error;
  }
}

/** Returns the error for a folder in the place of a file. */
export function noFile(path: string): MemoryError {
  return new MemoryError("runtime_error", `${path} is a folder, not a file. Move it away`, {
    reason: "EISDIR",
    path,
  });
}

/** Returns whether a file operation failed because the file does not exist. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT";
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w", OWNER_ONLY.file);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
