import { open, readdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Operations that make files survive power loss. */
export interface Disk {
  syncFile(path: string): Promise<void>;
  /** Makes added and removed names in a directory durable. */
  syncDirectory(path: string): Promise<void>;
}

export const disk: Disk = Object.freeze({
  syncFile: (path: string) => sync(path, "r+"),
  async syncDirectory(path: string): Promise<void> {
    // Windows cannot open directories, and its file system journals names itself.
    if (process.platform !== "win32") await sync(path, "r");
  },
});

/** Replaces a small file atomically: after a crash it has the old or the new contents. */
export async function replaceFile(path: string, content: string | Uint8Array, on: Disk): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, content);
  await on.syncFile(draft);
  await rename(draft, path);
  await on.syncDirectory(dirname(path));
}

/** Returns whether a file operation failed because the file does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Returns whether a file operation failed because a file is where a directory should be. */
export function isNoDirectory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOTDIR";
}

/** Returns the names in a directory, none if it does not exist. */
export async function listNames(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
