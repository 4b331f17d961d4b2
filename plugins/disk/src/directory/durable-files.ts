import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Memories are their owner's: nobody else of the machine reads them. */
const OWNER_ONLY = { directory: 0o700, file: 0o600 };

/** Creates the directory and its parents, for their owner alone, where they are missing, so that they survive power loss. */
export async function createDirectory(directory: string): Promise<void> {
  const topmost = await mkdir(directory, { recursive: true, mode: OWNER_ONLY.directory });
  if (topmost === undefined) return;
  const shortest = resolve(topmost).length;
  for (let created = resolve(directory); created.length >= shortest; created = dirname(created)) {
    await syncDirectory(dirname(created));
  }
}

/** Makes the names in a directory, added and removed, survive power loss. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows opens no directories; its file system journals names by itself.
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file anew: after a crash there is the old one or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeSynced(`${path}.new`, text);
  await rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

/** The text of a file; undefined where there is no such file. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/** The failure of a file operation because there is no such file. */
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
